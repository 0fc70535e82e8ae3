import { join, resolve } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const here = resolve(import.meta.dirname, '../..');
const packagesFolder = resolve(here, '../../packages');
/** The packages whose public types have a report: those on which all apps and adapters build. */
export const reported = ['contracts', 'core', 'server-fastify'] as const;

/**
 * Compares the public types of a built package with its report in `api/`.
 *
 * @param isUpdate writes the report instead.
 * @returns whether they were the same.
 */
export function checkApiReport(name: string, { isUpdate }: { readonly isUpdate: boolean }): boolean {
  const projectFolder = join(packagesFolder, name);
  const none = { default: { logLevel: ExtractorLogLevel.None } };
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder,
      mainEntryPointFilePath: join(projectFolder, 'dist/index.d.ts'),
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            module: 'nodenext',
            moduleResolution: 'nodenext',
            target: 'es2022',
            lib: ['es2024', 'dom', 'esnext.disposable'],
            jsx: 'react-jsx',
            skipLibCheck: true,
            types: ['node'],
            typeRoots: [resolve(here, '../../node_modules/@types')],
          },
          include: ['dist/index.d.ts'],
        },
      },
      apiReport: {
        enabled: true,
        reportFolder: join(here, 'api'),
        reportTempFolder: join(here, 'node_modules/.cache/api'),
        reportFileName: `${name}.api.md`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { compilerMessageReporting: none, extractorMessageReporting: none, tsdocMessageReporting: none },
    },
    configObjectFullPath: join(projectFolder, 'api-extractor.json'),
    packageJsonFullPath: join(projectFolder, 'package.json'),
  });
  const { apiReportChanged } = Extractor.invoke(config, {
    localBuild: isUpdate,
    messageCallback: (message) => {
      message.handled = true;
    },
  });
  return !apiReportChanged;
}
