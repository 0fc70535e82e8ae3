import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it, onTestFinished } from 'vitest';
import { createRestateEngine } from './create-restate-engine.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

it('accepts calls only of the cluster whose key is configured', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'halyard-key-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [own, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
  const file = join(folder, 'key.pem');
  await writeFile(file, own.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const restate = await RestateServer.start({ env: { RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: file } });
  onTestFinished(() => restate.close());

  const ports = await freePorts();
  for (const [index, { publicKey }] of [own, other].entries()) {
    const port = ports[index] ?? 0;
    const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
    const engine = createRestateEngine({
      ingress: restate.ingress,
      serve: { port, host: '127.0.0.1' },
      identityKeys: [`publickeyv1_${base58(key)}`],
    });
    const { executions } = await engine.open(createInMemoryStorage(), { logger: silent });
    onTestFinished(() => executions.disconnect());
  }
  await expect(restate.register(ports[1])).rejects.toThrow('does not register');
  await restate.register(ports[0]);
});

function base58(bytes: Uint8Array): string {
  let text = '';
  for (let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`); value > 0n; value /= 58n)
    text = (digits[Number(value % 58n)] ?? '') + text;
  return text;
}
