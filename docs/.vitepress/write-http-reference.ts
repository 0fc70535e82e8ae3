import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readApiDocument } from './http-reference/api-document.ts';
import { referencePages } from './http-reference/reference-pages.ts';

/** Writes `docs/http`: a page for each group of routes, from `/doc` of a server. */
const out = join(import.meta.dirname, '../http');
rmSync(out, { recursive: true, force: true });
mkdirSync(out);
for (const [name, text] of referencePages(await readApiDocument())) writeFileSync(join(out, name), text);
