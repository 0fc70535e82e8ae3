// @if jwt
import { createAuth } from './auth.ts';
// @end
import { model, modelName } from './model.ts';
import { createApp } from './server.ts';
import { openStorage } from './storage.ts';

const storage = openStorage();
// @if jwt
const server = await createApp({ model, storage, auth: createAuth() });
// @end
// @if !jwt
const server = await createApp({ model, storage });
// @end
server.app.addHook('onClose', () => storage.close());

const url = await server.listen();
// @if !jwt
const explorer = process.env['NODE_ENV'] === 'production' ? '' : `\n  API           ${url}/ui`;
// @end
console.log(`
  {{name}} is running with ${modelName}.

  // @if chat,support-desk
  Chat          ${url}/console/playground?agentId={{agent}}
  // @end
  // @if workflow
  Start one     ${url}/console/workflows/order
  // @end
  // @if workflow,support-desk
  Approvals     ${url}/console/approvals
  // @end
  // @if jwt
  Console       ${url}/console
  // @end
  // @if !jwt
  Console       ${url}/console${explorer}
  // @end
`);
