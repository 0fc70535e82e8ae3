import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chooseModel } from '@halyard/example-demo-model';
import { createSessionServer } from './server.ts';
import { SessionAuth } from './session-auth.ts';

const folder = fileURLToPath(new URL('../.halyard/', import.meta.url));
mkdirSync(folder, { recursive: true });
const sessions = new SessionAuth({ file: `${folder}sessions.sqlite` });
const { label, model } = await chooseModel();
const server = await createSessionServer(model, sessions, new Map([['ada', 'wanderer']]));
server.app.addHook('onClose', () => sessions.close());
const url = await server.listen();

console.log(`
  The server is running on ${url} with the ${label}.

  TOKEN=$(curl -s ${url}/sessions -H 'content-type: application/json' -d '{"name":"ada","password":"wanderer"}' | cut -d '"' -f 4)
  curl -s ${url}/agents/guide/text -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{"input":"Hello"}'
  curl -s -X DELETE ${url}/sessions/current -H "authorization: Bearer $TOKEN"
`);
