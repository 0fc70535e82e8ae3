import { chooseModel } from '@halyard/example-demo-model';
import { createShop } from './app.ts';

const { label, model } = await chooseModel();
const app = await createShop(model);
const url = await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 3141) });
// The app decides when it stops. Closing it lets answers that are being generated finish.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close());

console.log(`
  The shop is running on ${url} with the ${label}.

  curl -s -c jar -X POST ${url}/sign-in/ada
  curl -s -b jar ${url}/orders
  curl -s -b jar ${url}/ai/agents/clerk/text -H 'content-type: application/json' -d '{"input":"List my orders"}'
`);
