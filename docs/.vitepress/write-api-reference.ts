import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Application, Comment, Converter, type TypeDocOptions } from 'typedoc';
import { load as writeMarkdown, type PluginOptions } from 'typedoc-plugin-markdown';

/** What is published under one name, such as `@halyard/core/testing`. */
interface EntryPoint {
  readonly name: string;
  readonly description: string;
  readonly source: string;
}

const docs = join(import.meta.dirname, '..');
const out = join(docs, 'api');

/**
 * Writes `docs/api`: a page for each export of the published packages, from the doc blocks of the
 * sources.
 */
const entryPoints = readEntryPoints();
const options: TypeDocOptions & Partial<PluginOptions> = {
  plugin: [writeMarkdown],
  entryPoints: entryPoints.map(({ source }) => source),
  tsconfig: join(import.meta.dirname, 'tsconfig.api.json'),
  // `typecheck` has checked them.
  skipErrorChecking: true,
  // The HTTP reference has the same types, with samples.
  exclude: [join(docs, '../packages/client/src/schema.ts')],
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  disableGit: true,
  sourceLinkTemplate: 'https://github.com/halyard-dev/halyard/blob/main/packages/{path}#L{line}',
  name: 'API reference',
  readme: 'none',
  // Doc blocks also link to what is not exported; those links are shown as text.
  validation: false,
  logLevel: 'Warn',
  treatWarningsAsErrors: true,
  out,
  router: 'member',
  entryFileName: 'index.md',
  excludeScopesInPaths: true,
  hidePageHeader: true,
  indexFormat: 'table',
  parametersFormat: 'table',
  useCodeBlocks: true,
  sanitizeComments: true,
  useHTMLEncodedBrackets: true,
  pageTitleTemplates: { index: 'API reference', module: '{name}', member: '{name}' },
};
const app = await Application.bootstrapWithPlugins(options);
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const { description, name, source } of entryPoints) {
    const entry = project.children?.find(({ sources }) => sources?.some(({ fullFileName }) => fullFileName === source));
    if (entry === undefined) throw new Error(`${name} has no page`);
    entry.name = name;
    entry.comment = new Comment([{ kind: 'text', text: description }]);
  }
});
rmSync(out, { recursive: true, force: true });
const project = await app.convert();
if (project === undefined) throw new Error('TypeDoc could not read the sources');
await app.generateOutputs(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1;

/** The entry points of all packages, except the one that is only for Halyard's own packages. */
function readEntryPoints(): readonly EntryPoint[] {
  return globSync(join(docs, '../packages/*/package.json'))
    .toSorted()
    .flatMap((path) => {
      const manifest = JSON.parse(readFileSync(path, 'utf8')) as {
        readonly name: string;
        readonly description: string;
        readonly exports: Readonly<Record<string, string | { readonly '@halyard/source': string }>>;
      };
      return Object.entries(manifest.exports).flatMap(([subpath, target]) =>
        typeof target === 'string' || subpath === './database'
          ? []
          : {
              name: join(manifest.name, subpath),
              description: manifest.description,
              source: resolve(dirname(path), target['@halyard/source']),
            },
      );
    });
}
