import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createRestateEngine, registerDeployment } from '@halyard/engine-restate';
import { chooseModel } from '@halyard/example-demo-model';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createApp } from './app.ts';
import { startRestate } from './restate.ts';

const { values: args } = parseArgs({
  options: {
    port: { type: 'string', default: '3141' },
    /** Where Restate calls this process. */
    'engine-port': { type: 'string', default: '9080' },
    'ingress-port': { type: 'string', default: '8080' },
    'admin-port': { type: 'string', default: '9070' },
    'node-port': { type: 'string', default: '5122' },
    'data-dir': { type: 'string', default: fileURLToPath(new URL('../.halyard', import.meta.url)) },
  },
});
const { DATABASE_URL, DEPLOYMENT, RESTATE_ADMIN, RESTATE_INGRESS } = process.env;

const restate =
  RESTATE_INGRESS === undefined || RESTATE_ADMIN === undefined
    ? await startRestate(join(args['data-dir'], 'restate'), {
        ingress: Number(args['ingress-port']),
        admin: Number(args['admin-port']),
        node: Number(args['node-port']),
      })
    : { ingress: RESTATE_INGRESS, admin: RESTATE_ADMIN, close: async () => {} };
const storage = createPostgresStorage(
  DATABASE_URL === undefined ? { dataDir: join(args['data-dir'], 'database') } : { connectionString: DATABASE_URL },
);
const enginePort = Number(args['engine-port']);
const engine = createRestateEngine({ ingress: restate.ingress, serve: { port: enginePort } });
const { label, model } = await chooseModel();
const server = await createApp({ model, storage, engine, port: Number(args.port) });
server.app.addHook('onClose', () => restate.close());
const url = await server.listen();
await registerDeployment(restate.admin, DEPLOYMENT ?? `http://127.0.0.1:${enginePort}`);

console.log(`
  Halyard is running on ${url}, its executions on Restate.

  Model               ${label}
  Restate's console   ${restate.admin}/ui

  Try:
    curl -s ${url}/workflows/order/execute -H 'content-type: application/json' -d '{"input":{"product":"lamp","customer":"Clara"},"options":{"executionId":"order-1"}}'
    curl -s ${url}/workflows/order/executions/order-1/resume -H 'content-type: application/json' -d '{"resumeData":{"by":"Grace"}}'
    curl -s ${url}/workflows/order/executions/order-1
    curl -N ${url}/agents/clerk/chat -H 'content-type: application/json' -d '{"input":"Hello","options":{"conversationId":"c1","userId":"clara"}}'
`);
