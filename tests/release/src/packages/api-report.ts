import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const here = resolve(import.meta.dirname, '../..');
const packagesFolder = resolve(here, '../../packages');
/** Their public types are generated from the OpenAPI document, or they have none. */
const withoutReport = new Set(['cli', 'client', 'console', 'create-halyard']);

/** The packages whose public types have a report. */
export const reported: readonly string[] = readdirSync(packagesFolder).filter(
  (name) => !withoutReport.has(name) && existsSync(join(packagesFolder, name, 'package.json')),
);

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
