import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Reply, type Sent } from '../../../testing/memory.ts';
import { serve, type Served } from '../../../testing/serve.ts';

const Profile = Type.Object({
  name: Type.Optional(Type.String()),
  likes: Type.Optional(Type.Array(Type.String())),
  home: Type.Optional(Type.Object({ city: Type.Optional(Type.String()), zip: Type.Optional(Type.String()) })),
});
const template = '# Notes\n- name:';
const memoriesOf = {
  text: createMemory({ workingMemory: { template } }),
  json: createMemory({ workingMemory: { schema: Profile } }),
  user: createMemory({ workingMemory: { scope: 'user' } }),
  none: createMemory(),
};

let server: Served;
beforeAll(async () => {
  const agents = Object.entries(memoriesOf).map(
    ([id, memory]) => new Agent({ id, memory, model: scriptedModel('ok') }),
  );
  server = await serve([], { agents });
});
afterAll(() => server.close());

let count = 0;

/**
 * Creates a conversation of Ada's with an agent, and returns a function that sends requests to its
 * working memory.
 */
async function notesOf(agentId: keyof typeof memoriesOf, conversationId = `w-${(count += 1)}`) {
  await ask(server.origin, '/conversations', { body: { agentId, userId: 'ada', conversationId } });
  const path = `/conversations/${conversationId}/working-memory?agentId=${agentId}`;
  const notes = (query = '', sent: Sent = {}): Promise<Reply> => ask(server.origin, `${path}${query}`, sent);
  return {
    id: conversationId,
    read: (query = '') => notes(query),
    content: async (query = '') => (await notes(query)).data['content'],
    write: (body: unknown, query = '') => notes(query, { body }),
  };
}

describe('working memory', () => {
  it('is empty at first, and describes its format', async () => {
    expect((await (await notesOf('text')).read()).data).toEqual({
      content: null,
      scope: 'conversation',
      format: 'markdown',
      schema: null,
      template,
    });
    expect((await (await notesOf('json')).read()).data).toEqual({
      content: null,
      scope: 'conversation',
      format: 'json',
      schema: expect.objectContaining({ type: 'object' }),
      template: null,
    });
    expect((await (await notesOf('user')).read('&userId=ada')).data).toMatchObject({ content: null, scope: 'user' });
  });

  it('is a text that a request replaces or appends to', async () => {
    const { content, write } = await notesOf('text');
    expect(await write({ content: 'one' })).toMatchObject({ status: 200, data: { updated: true } });
    expect(await content()).toBe('one');
    await write({ content: 'two', mode: 'append' });
    expect(await content()).toBe('one\n\ntwo');
    await write({ content: 'three', mode: 'replace' });
    expect(await content()).toBe('three');
  });

  it('is an object if it has a schema; updates are merged deeply', async () => {
    const { content, write } = await notesOf('json');
    await write({ content: { name: 'Ada', likes: ['tea'], home: { city: 'Rome' } } });
    await write({ mode: 'append', content: { likes: ['tea', 'jam'], home: { zip: '00100' } } });
    expect(await content()).toEqual({ name: 'Ada', likes: ['tea', 'jam'], home: { city: 'Rome', zip: '00100' } });
    await write({ content: { name: 'Bob' } });
    expect(await content()).toEqual({ name: 'Bob' });
  });

  it('refuses a value that does not match the schema, and does not change', async () => {
    const { content, write } = await notesOf('json');
    await write({ content: { name: 'Ada' } });
    for (const mode of ['replace', 'append']) {
      const reply = await write({ mode, content: { likes: [5] } });
      expect(reply).toMatchObject({ status: 400, error: expect.stringContaining('likes/0 must be string') });
    }
    expect(await content()).toEqual({ name: 'Ada' });
  });

  it('is written only if it is still as the request expects', async () => {
    const { content, write } = await notesOf('text');
    expect(await write({ content: 'one', expected: null })).toMatchObject({ status: 200 });
    expect(await write({ content: 'two', expected: null })).toMatchObject({
      status: 409,
      code: 'WORKING_MEMORY_CHANGED',
    });
    expect(await content()).toBe('one');
    const replies = await Promise.all(['a', 'b', 'c'].map((next) => write({ content: next, expected: 'one' })));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  });

  it('loses none of 200 simultaneous appends', async () => {
    const { content, write } = await notesOf('text');
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`);
    await Promise.all(lines.map((line) => write({ content: line, mode: 'append' })));
    expect(
      String(await content())
        .split('\n\n')
        .toSorted(),
    ).toEqual(lines.toSorted());
  });

  it('belongs to the conversation or its user, by the request, else by the configuration', async () => {
    const [one, two] = [await notesOf('text'), await notesOf('text')];
    await one.write({ content: 'of the user', scope: 'user', userId: 'ada' });
    await one.write({ content: 'of the conversation' });
    expect(await two.content('&scope=user&userId=ada')).toBe('of the user');
    expect(await two.content()).toBeNull();
    expect(await one.content('&scope=conversation')).toBe('of the conversation');

    const [three, four] = [await notesOf('user'), await notesOf('user')];
    await three.write({ content: 'everywhere' });
    expect(await four.content()).toBe('everywhere');
    expect(await four.content('&scope=conversation')).toBeNull();
  });

  it('requires a user for the scope `user`', async () => {
    const { id, read, write } = await notesOf('text');
    expect(await read('&scope=user')).toMatchObject({ status: 400, error: 'query/userId is required for scope user' });
    expect(await read('&scope=user&userId=eve')).toMatchObject({
      status: 400,
      error: `userId must be the user of conversation ${id}`,
    });
    expect(await write({ content: 'x', userId: 'eve' })).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    expect(await read()).toMatchObject({ data: { content: null } });
  });

  it.each<readonly [unknown, string]>([
    [{}, "body must have required property 'content'"],
    [{ content: null }, 'body/content must be string or object'],
    [{ content: 5 }, 'body/content must be string or object'],
    [{ content: ['x'] }, 'body/content must be string or object'],
    [{ content: 'x', mode: 'prepend' }, 'body/mode must be equal to one of the allowed values: "replace", "append"'],
    [{ content: 'x', scope: 'world' }, 'body/scope must be equal to one of the allowed values: "conversation", "user"'],
  ])('refuses %j', async (body, error) => {
    expect(await (await notesOf('text')).write(body)).toMatchObject({ status: 400, error });
  });

  it('refuses an object if it is a text, and a text if it is an object', async () => {
    expect(await (await notesOf('text')).write({ content: { a: 1 } })).toMatchObject({ status: 400 });
    expect(await (await notesOf('json')).write({ content: 'x' })).toMatchObject({ status: 400 });
  });

  it('refuses an unknown scope', async () => {
    expect(await (await notesOf('text')).read('&scope=world')).toMatchObject({
      status: 400,
      error: 'query/scope must be equal to one of the allowed values: "conversation", "user"',
    });
  });
});
