import { Type } from '@sinclair/typebox';
import { defineRoute } from '../define/define-route.ts';
import { ServiceKeys, ServiceKeysWritten } from '../schemas/service-keys.ts';
import { InstalledUpdates, UpdatesReport } from '../schemas/updates.ts';
import { writeEnvFile } from '../updates/env-file.ts';
import type { InstalledUpdate } from '../updates/updates.ts';

const common = { tier: 'console', tag: 'Updates' } as const;

/** An npm name. */
const PackageName = Type.String({ pattern: '^(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$', maxLength: 214 });

const installs =
  'Installs the latest versions with the package manager of the app, without install scripts. Refused in production unless the option `updates.allowInProduction` is set.';

export const updateRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    url: '/updates',
    operationId: 'checkUpdates',
    summary: 'Look for newer versions of Halyard',
    description: 'Among the direct dependencies of the app. The answer of the registry is kept for an hour.',
    data: UpdatesReport,
    handler: async (_, { updates }) => updates.check(),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: '/updates',
    operationId: 'installUpdates',
    summary: 'Install all updates',
    description: installs,
    failures: [403, 409, 500],
    data: InstalledUpdates,
    handler: async (_, { updates }) => outcome(await updates.install(undefined)),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: '/updates/:packageName',
    aliases: ['/updates/:scope/:packageName'],
    operationId: 'installUpdate',
    summary: 'Install the update of one package',
    description: `${installs} The slash in the name may be encoded or not.`,
    params: Type.Object({ packageName: PackageName }),
    failures: [403, 404, 409, 500],
    data: InstalledUpdates,
    handler: async ({ params }, { updates }) => outcome(await updates.install(packageName(params))),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: '/setup-observability',
    operationId: 'setUpObservability',
    summary: 'Write the keys of the observability service into the .env of the app',
    description:
      'Only `SERVICE_PUBLIC_KEY` and `SERVICE_SECRET_KEY` change. Refused in production unless the option `updates.allowInProduction` is set.',
    body: ServiceKeys,
    failures: [403, 409],
    data: ServiceKeysWritten,
    handler: async ({ body: { publicKey, secretKey } }, { updates }) => {
      const directory = await updates.changeableDirectory();
      await writeEnvFile(directory, { SERVICE_PUBLIC_KEY: publicKey, SERVICE_SECRET_KEY: secretKey });
      return { message: 'The keys are used from the next start on', path: '.env' as const };
    },
  }),
];

function outcome(updated: readonly InstalledUpdate[]): InstalledUpdates {
  return { updated: [...updated], restartRequired: updated.length > 0 };
}

/** A name whose slash was not encoded comes in two parts. */
function packageName(params: { readonly packageName: string; readonly scope?: string }): string {
  return params.scope === undefined ? params.packageName : `${params.scope}/${params.packageName}`;
}
