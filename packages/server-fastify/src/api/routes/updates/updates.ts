import { Type } from '@sinclair/typebox';
import { audited } from '../../../runtime/audit/audited.ts';
import type { InstalledUpdate } from '../../../runtime/updates/updates.ts';
import { defineRoute } from '../../define/define-route.ts';
import { InstalledUpdates, ServiceKeys, ServiceKeysWritten, UpdatesReport } from './schemas.ts';

const common = { tier: 'console', tag: 'Updates' } as const;

/** The name of an npm package. */
const PackageName = Type.String({ pattern: '^(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$', maxLength: 214 });

const installs =
  'Installs the latest version with the package manager of the app and without install scripts. Refused in production unless the option `updates.allowInProduction` is set.';

export const updateRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    url: '/updates',
    operationId: 'checkUpdates',
    summary: 'List newer versions of the Halyard packages',
    description: 'Checks the direct dependencies of the app. The result is cached for an hour.',
    data: UpdatesReport,
    handler: async (_, { loadUpdates }) => (await loadUpdates()).check(),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    role: 'owner',
    url: '/updates',
    operationId: 'installUpdates',
    audit: audited('updates.install'),
    summary: 'Install all updates',
    description: installs,
    failures: [403, 409, 500],
    data: InstalledUpdates,
    handler: async (_, { loadUpdates }) => toInstalledUpdates(await (await loadUpdates()).install(undefined)),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    role: 'owner',
    url: '/updates/:packageName',
    aliases: ['/updates/:scope/:packageName'],
    operationId: 'installUpdate',
    audit: audited('updates.install'),
    summary: 'Update one package',
    description: `${installs} The slash in the name may be URL-encoded or not.`,
    params: Type.Object({ packageName: PackageName }),
    failures: [403, 404, 409, 500],
    data: InstalledUpdates,
    handler: async ({ params }, { loadUpdates }) =>
      toInstalledUpdates(await (await loadUpdates()).install(packageName(params))),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    role: 'owner',
    url: '/setup-observability',
    operationId: 'setUpObservability',
    audit: audited('observability.set-up'),
    summary: 'Write the keys of the observability service to the .env file of the app',
    description:
      'Sets `SERVICE_PUBLIC_KEY` and `SERVICE_SECRET_KEY`. Refused in production unless the option `updates.allowInProduction` is set.',
    body: ServiceKeys,
    failures: [403, 409],
    data: ServiceKeysWritten,
    handler: async ({ body: { publicKey, secretKey } }, { loadUpdates }) => {
      const updates = await loadUpdates();
      await updates.setVariables({ SERVICE_PUBLIC_KEY: publicKey, SERVICE_SECRET_KEY: secretKey });
      return { message: 'The keys take effect at the next start', path: '.env' as const };
    },
  }),
];

function toInstalledUpdates(updated: readonly InstalledUpdate[]): InstalledUpdates {
  return { updated: [...updated], restartRequired: updated.length > 0 };
}

/** A name whose slash is not encoded matches the route with two parameters. */
function packageName(params: { readonly packageName: string; readonly scope?: string }): string {
  return params.scope === undefined ? params.packageName : `${params.scope}/${params.packageName}`;
}
