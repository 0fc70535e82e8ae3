import { chooseModel } from '@halyard/example-demo-model';
import type { HalyardServer } from '@halyard/server-fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Api, ApiError } from './api.ts';
import { Approver } from './approver.ts';
import { Customer } from './customer.ts';
import { playBothRoles } from './play-both-roles.ts';
import { createOrderApproval } from './server.ts';
import { startScreen } from './start-screen.ts';

const empty: NodeJS.ProcessEnv = {};
let server: HalyardServer;
let url: string;

beforeAll(async () => {
  const { model } = await chooseModel(empty);
  server = await createOrderApproval(model, { port: 0, signals: false });
  url = await server.listen();
});

afterAll(() => server.close());

it('ships a small order and an approved large order, and does not ship a declined order', async () => {
  let output = '';

  const { approved, declined, small } = await playBothRoles(new Api(url), (text) => (output += text));

  expect(small).toMatchObject({ status: 'completed', receipt: { status: 'shipped', cents: 9_800 } });
  expect(approved).toMatchObject({ status: 'completed', receipt: { status: 'shipped', carrier: 'Northwind' } });
  expect(declined.receipt).toEqual({ status: 'declined', by: 'Grace', reason: 'twelve chairs, for one person?' });
  expect(output).toMatch(/Ada orders 2 × Desk lamp.*the total is € 98\.00.*“.*P-[0-9A-F]{6}, arrives .*”/su);
  expect(output).toMatch(/Clara reconnects.*approve +Grace has approved.*shipped +€ 8900\.00/su);
  expect(output).toMatch(/Bob reads the answer.*declined +by Grace/su);
  expect(output.match(/└ Shipping +completed/gu)).toHaveLength(2);
});

it('ends an order early if the stock is insufficient', async () => {
  const types: string[] = [];
  const customer = new Customer(new Api(url), ({ type }) => types.push(type));

  const { receipt } = await customer.order({ customer: 'Eve', city: 'Bern', lines: [{ sku: 'piano', quantity: 3 }] });

  expect(receipt).toEqual({ status: 'out-of-stock', missing: ['Grand piano'] });
  expect(types).not.toContain('workflow-suspended');
});

it('accepts one of two concurrent answers to the same order', async () => {
  const api = new Api(url);
  const customer = new Customer(api, () => {});
  const { executionId } = await customer.order({
    customer: 'Max',
    city: 'Graz',
    lines: [{ sku: 'chair', quantity: 2 }],
  });
  const waiting = (await new Approver(api, 'Grace').listWaiting()).filter(({ id }) => id === executionId);

  const answers = await Promise.allSettled(
    waiting.flatMap((order) => [new Approver(api, 'Grace').approve(order), new Approver(api, 'Alan').approve(order)]),
  );

  const codes = answers.map((answer) => (answer.status === 'rejected' ? (answer.reason as ApiError).code : 'accepted'));
  expect(codes.toSorted()).toEqual(['EXECUTION_NOT_SUSPENDED', 'accepted']);
});

it('rejects an order for an unknown product with an error that names the field', async () => {
  const customer = new Customer(new Api(url), () => {});

  const order = customer.order({ customer: 'Eve', city: 'Bern', lines: [{ sku: 'boat', quantity: 1 }] });

  await expect(order).rejects.toThrow(ApiError);
  await expect(order).rejects.toMatchObject({
    status: 400,
    code: 'INVALID_INPUT',
    message: expect.stringContaining('body/input/lines/0/sku'),
  });
});

it('prints a start screen with the URLs', () => {
  const screen = startScreen(url, 'demo model');

  expect(screen).toContain(`${url}/ui`);
  expect(screen).toContain(`curl -N ${url}/workflows/order/stream`);
});
