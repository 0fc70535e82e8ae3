import { readFileSync } from 'node:fs';

/** The script of the landing page. It runs in browsers, so it is plain JavaScript that is published as it is. */
export const landingScript: string = readFileSync(new URL('../page/landing.js', import.meta.url), 'utf8');
