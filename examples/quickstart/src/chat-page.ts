import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { HalyardServer } from '@halyard/server-fastify';
import { context } from 'esbuild';

const page = fileURLToPath(new URL('../page/', import.meta.url));

/** Serves the chat page at `/chat`. Each request bundles the script again, so a reload shows the latest changes. */
export async function serveChatPage({ app }: HalyardServer): Promise<void> {
  const bundle = await context({
    entryPoints: [`${page}chat.tsx`],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  app.addHook('onClose', () => bundle.dispose());

  const hidden = { schema: { hide: true } };
  app.get('/chat', hidden, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(await readFile(`${page}chat.html`, 'utf8')),
  );
  app.get('/chat/chat.css', hidden, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(await readFile(`${page}chat.css`, 'utf8')),
  );
  app.get('/chat/chat.js', hidden, async (_request, reply) => {
    const { outputFiles } = await bundle.rebuild();
    return reply.type('text/javascript; charset=utf-8').send(outputFiles[0]?.text ?? '');
  });
}
