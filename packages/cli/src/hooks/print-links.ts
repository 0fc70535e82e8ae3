/** Loaded into the app by `halyard dev`: prints the links of a Halyard server once it responds. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { print, style } from '../terminal.ts';
import { followApps, pathEndingWith } from './follow-apps.ts';

followApps((app, paths) => {
  app.addHook('onListen', async () => {
    // Not awaited: the app goes on at once.
    void printLinks(app, paths);
  });
});

async function printLinks(app: FastifyInstance, paths: readonly string[]): Promise<void> {
  const health = pathEndingWith(paths, '/healthz');
  const origin = originOf(app);
  if (health === undefined || origin === undefined) return;
  const reply = await fetch(origin + health).catch(() => undefined);
  if (reply?.ok !== true) return;
  const prefix = health.slice(0, -'/healthz'.length);
  const links: readonly (readonly [string, string | undefined])[] = [
    ['Console', paths.includes(`${prefix}/console`) ? `${prefix}/console` : undefined],
    ['Swagger UI', paths.includes(`${prefix}/ui`) ? `${prefix}/ui` : undefined],
    ['Health', health],
  ];
  const lines = links.flatMap(([name, path]) =>
    path === undefined ? [] : [`  ${style(name.padEnd(12), 'bold')}${style(origin + path, 'cyan')}`],
  );
  print(`\n${lines.join('\n')}\n`);
}

function originOf(app: FastifyInstance): string | undefined {
  const [address] = app.addresses() as readonly AddressInfo[];
  if (address === undefined) return undefined;
  const host = address.address === '0.0.0.0' || address.address === '::' ? '127.0.0.1' : address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
