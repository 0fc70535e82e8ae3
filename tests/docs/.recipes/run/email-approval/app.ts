import { createWorkflow } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import jwt from 'jsonwebtoken';
import { createTransport } from 'nodemailer';

const secret = process.env['LINK_SECRET'] ?? '';
if (secret === '') throw new TypeError('Set LINK_SECRET');
const publicUrl = process.env['PUBLIC_URL'] ?? 'http://localhost:3141';
const smtpUrl = process.env['SMTP_URL'];
const mail = createTransport(smtpUrl ?? { jsonTransport: true });
const storage = createPostgresStorage({ connectionString: 'postgres://127.0.0.1:1/down' });

/** Stands for your directory: who approves the expenses of whom. */
const managers = new Map([['ada', 'grace@example.com']]);

const readToken = (token: string): jwt.JwtPayload | undefined => {
  try {
    const claims = jwt.verify(token, secret, { algorithms: ['HS256'], audience: 'approve' });
    return typeof claims === 'string' ? undefined : claims;
  } catch {
    return undefined;
  }
};

const expense = createWorkflow({
  id: 'expense',
  input: Type.Object({ what: Type.String(), euros: Type.Number() }),
  resumeSchema: Type.Object({ approved: Type.Boolean(), token: Type.String() }),
})
  .andThen({
    id: 'find-manager',
    execute: ({ data, state }) => {
      const manager = managers.get(state.userId ?? '');
      if (manager === undefined) throw new TypeError(`Nobody approves the expenses of "${state.userId}"`);
      return { ...data, manager };
    },
  })
  .andTap({
    id: 'ask',
    retries: { attempts: 5, delayMs: 10_000 },
    execute: async ({ data, state }) => {
      const token = jwt.sign({ what: data.what, euros: data.euros }, secret, {
        algorithm: 'HS256',
        audience: 'approve',
        expiresIn: '3d',
        subject: state.executionId,
      });
      const text = `${data.what}, ${data.euros} euros\n\n${publicUrl}/approve?token=${token}\n`;
      // Without SMTP_URL, e-mails are printed.
      if (smtpUrl === undefined) console.log(`E-mail to ${data.manager}:\n${text}`);
      await mail.sendMail({
        from: 'expenses@example.com',
        to: data.manager,
        subject: `Please approve: ${data.what}`,
        text,
      });
    },
  })
  .andThen({
    id: 'approve',
    execute: ({ data, resumeData, state, suspend }) => {
      // Who has started an execution may resume it over HTTP, too. Only the link shows that the manager answers.
      if (resumeData && readToken(resumeData.token)?.sub === state.executionId)
        return { what: data.what, approved: resumeData.approved };
      return suspend('Waits for the manager', { euros: data.euros }, { timeoutMs: 3 * 24 * 3_600_000 });
    },
  });

const server = await createServer({ workflows: [expense], storage });
const { app, runtime } = server;

const escape = (text: string): string => text.replaceAll(/[<>&"]/g, (char) => `&#${char.codePointAt(0)};`);
const page = (body: string): string =>
  `<!doctype html><meta name="viewport" content="width=device-width"><title>Expense</title>${body}`;
const html = 'text/html; charset=utf-8';
const invalid = page('<p>This link is not valid any more.</p>');

app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, Object.fromEntries(new URLSearchParams(String(body)))),
);
// Mail programs open links to check them, so that only the form answers.
app.get<{ Querystring: { token?: string } }>('/approve', (request, reply) => {
  const { token = '' } = request.query;
  const claims = readToken(token);
  reply.type(html).header('referrer-policy', 'no-referrer');
  if (claims === undefined) return reply.code(404).send(invalid);
  return reply.send(
    page(`<h1>${escape(String(claims['what']))}</h1><p>${Number(claims['euros'])} euros</p>
      <form method="post" action="/approve"><input type="hidden" name="token" value="${escape(token)}">
      <button name="approved" value="yes">Approve</button> <button name="approved" value="no">Decline</button></form>`),
  );
});
app.post<{ Body?: { token?: string; approved?: string } }>('/approve', async (request, reply) => {
  const { approved, token = '' } = request.body ?? {};
  const executionId = readToken(token)?.sub;
  reply.type(html);
  if (executionId === undefined) return reply.code(404).send(invalid);
  try {
    const key = { owner: 'anyone', workflowId: 'expense', executionId } as const;
    await runtime.resume(key, { stepId: 'approve', resumeData: { approved: approved === 'yes', token } });
    return reply.send(page('<p>Thank you.</p>'));
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EXECUTION_NOT_SUSPENDED')
      return reply
        .code(409)
        .send(page('<p>This expense does not wait any more: it was answered, or it is too late.</p>'));
    if (code === 'EXECUTION_NOT_FOUND')
      return reply.code(404).send(page('<p>This expense does not exist any more.</p>'));
    request.log.error(error, 'An answer was not recorded');
    return reply.code(500).send(page('<p>Your answer was not recorded. Please use the link again later.</p>'));
  }
});
await server.listen();
