// Runs on Bun.
import { Hono } from 'hono';
import { createApp } from './app.ts';

interface BunServer {
  readonly url: URL;
  requestIP(request: Request): { readonly address: string } | null;
}
declare const Bun: { serve(options: object): BunServer };

const server = await createApp();
const app = new Hono<{ Bindings: BunServer }>();
app.all('/ai/*', (c) => server.fetch(c.req.raw, { remoteAddress: c.env.requestIP(c.req.raw)?.address }));

// Bun closes connections that are silent for 10 s by default.
const { url } = Bun.serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, idleTimeout: 60 });
console.log(url.origin);
