import { colleagues, someCustomer } from './people.ts';
import { type Random, seededRandom } from './random.ts';
import type { Customer, HistoryEvent, ModelFailure, Notes, Script, Turn } from './script.ts';
import { dayMs, hourMs, isDuringIncident, minuteMs, ticksOfThePast, timesOfThePast } from './times.ts';
import { thanks, topics, waitingTopics } from './topics.ts';

export const conversationCount = 200;
/** Answers of agents and executions. Decisions that continue an execution are not counted. */
export const runCount = 2_000;
const refundCount = 240;
/** So many of the newest conversations end with a call that waits for a person. */
const waitingConversations = 4;
/** Which questions are the last ones before they are answered, and which refunds may wait. */
const recentMs = 3 * dayMs;
const seed = 20_260_101;

/**
 * The events at the desk in the 14 days before `base`, by time: always the same for the same
 * `base`. 200 conversations, refunds, executions of schedules, and mails, 2 000 runs in all.
 */
export async function planHistory(base: number): Promise<readonly HistoryEvent[]> {
  const random = seededRandom(seed);
  const someTime = timesOfThePast(base, random);
  const starts = Array.from({ length: conversationCount }, someTime).toSorted((a, b) => a - b);
  const events: HistoryEvent[] = [];
  for (const [index, start] of starts.entries())
    events.push(
      ...(await planConversation(random, base, start, index, index >= conversationCount - waitingConversations)),
    );
  const started = events.filter(({ script }) => startsRefund(script)).length;
  const refunds = Array.from({ length: refundCount - started }, (_, index) =>
    planRefund(random, base, someTime(), index),
  );
  events.push(...refunds.flat());
  events.push(...ticksOfThePast(base).map(planTick));
  const runs = events.filter(({ kind }) => kind !== 'decision').length + started;
  for (let index = runs; index < runCount; index += 1) events.push(planMail(random, base, someTime()));
  return numbered(events.toSorted((a, b) => a.at - b.at));
}

/** @param order of the conversation by time, from 0. */
export function conversationIdOf(order: number): string {
  return `c-${String(order + 1).padStart(4, '0')}`;
}

/** Numbers the refunds by time: `refund-0001`. */
function numbered(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const started = events.flatMap(({ kind, script: { refund } }) =>
    kind === 'decision' || refund === undefined ? [] : [refund],
  );
  const ids = new Map(started.map((id, index) => [id, `refund-${String(index + 1).padStart(4, '0')}`]));
  return events.map((event) => {
    const refund = ids.get(event.script.refund ?? '');
    return refund === undefined ? event : { ...event, script: { ...event.script, refund } };
  });
}

function startsRefund({ answers }: Script): boolean {
  return Object.values(answers).some((list) =>
    list.some(({ calls = [] }) => calls.some(({ toolName }) => toolName === 'startRefund')),
  );
}

async function planConversation(
  random: Random,
  base: number,
  start: number,
  order: number,
  waits: boolean,
): Promise<readonly HistoryEvent[]> {
  const customer = someCustomer(random);
  const first = await random.pick(topics)(random, customer, someOrder(random));
  const turns: Turn[] = [...first.turns];
  const wanted = random.between(2, 9);
  while (turns.length < wanted - 1) {
    const next = await random.pick(topics)(random, customer, someOrder(random));
    const isNew = turns.every(({ question }) => question !== next.turns[0]?.question);
    if (isNew) turns.push(...next.turns);
  }
  if (waits) turns.push(...(await random.pick(waitingTopics)(random, customer, someOrder(random))).turns.slice(0, 1));
  else turns.push(...thanks(random).turns);

  let passed = 0;
  const times = turns.map(({ question }) => {
    const before = passed;
    passed += typeof question === 'string' ? random.around(70_000) + 15_000 : random.around(9 * minuteMs, 0.8);
    return before;
  });
  // The newest conversations ended before the history does.
  const begin = Math.min(start, base - passed - minuteMs);
  const conversationId = conversationIdOf(order);
  return turns.flatMap((turn, index): readonly HistoryEvent[] => {
    const at = Math.floor(begin + (times[index] ?? 0));
    const isDecidedNext = typeof turns[index + 1]?.question === 'object';
    const refund = startsRefund(turn.script) ? `${conversationId}-refund-${index}` : undefined;
    const paid = payment(random);
    const script: Script = {
      ...(isDecidedNext || refund !== undefined ? turn.script : withFailure(random, turn, at, base)),
      ...(index === 0 && { title: first.title, notes: notesOf(random, customer) }),
      ...(refund !== undefined && { refund, ...(paid.shopFailure !== undefined && { shopFailure: paid.shopFailure }) }),
    };
    return [
      { kind: 'turn', at, conversationId, customer, turn, script },
      ...(refund === undefined ? [] : planDecision(random, base, at + minuteMs, { ...paid, refund })),
    ];
  });
}

/** Some calls of models fail, and most of them do during the incident. */
function withFailure(random: Random, { agent, question, script }: Turn, at: number, base: number): Script {
  const failure = typeof question === 'string' ? someFailure(random, at, base) : undefined;
  if (failure === undefined) return script;
  const [delegated, { text = '' } = {}] = script.answers[agent] ?? [];
  const expert = agentIds.find((id) => id !== agent && script.answers[id] !== undefined);
  // The front desk answers although the expert whom it has asked cannot.
  if (expert !== undefined && delegated !== undefined && random.chance(0.4)) {
    const sorry = {
      text: 'I am sorry: my colleague is not available at the moment. Please ask me again in a few minutes.',
    };
    return { ...script, answers: { [agent]: [delegated, sorry], [expert]: [{ failure }] } };
  }
  // Some fail at once, others when a tool has been called already.
  const before = delegated !== undefined && text !== '' && random.chance(0.3) ? [delegated] : [];
  return { ...script, answers: { ...script.answers, [agent]: [...before, { failure }] } };
}

function notesOf(random: Random, { city, name }: Customer): Notes {
  const likes = random.pick(['long hikes', 'winter tours', 'climbing', 'light gear', 'camping with children'] as const);
  return { name, city, ...(random.chance(0.4) && { shoeSize: random.between(37, 46) }), likes: [likes] };
}

const agentIds = ['front-desk', 'orders', 'returns'] as const;

function someFailure(random: Random, at: number, base: number): ModelFailure | undefined {
  if (isDuringIncident(at, base) && random.chance(0.75)) return 'overloaded';
  if (!random.chance(0.035)) return undefined;
  return random.pick(['rate-limited', 'overloaded', 'timed-out', 'timed-out', 'filtered']);
}

const reasons = [
  'it is too small',
  'it is too large',
  'I ordered the wrong one',
  'it leaks at the seam',
  'the zip is broken',
  'it arrived damaged',
  'I have found it cheaper',
  'my tour was cancelled',
] as const;
const notes = ['It was used', 'Please send photos first', 'This is the third return this year'] as const;

function planRefund(random: Random, base: number, at: number, index: number): readonly HistoryEvent[] {
  const customer = someCustomer(random);
  const refund = `form-${index}`;
  const orderId = someOrder(random);
  const script = { ...payment(random), refund };
  return [
    { kind: 'refund', at, customer, orderId, reason: random.pick(reasons), script },
    ...planDecision(random, base, at, script),
  ];
}

/** The bank does not always pay. */
function payment(random: Random): Script {
  if (random.chance(0.93)) return { answers: {} };
  return {
    answers: {},
    shopFailure: random.pick([
      'The bank refused the transfer: the account is closed',
      'The bank does not answer: socket hang up',
    ]),
  };
}

/** The decision about a refund. Some of the newest refunds still wait for it. */
function planDecision(random: Random, base: number, askedAt: number, script: Script): readonly HistoryEvent[] {
  const approved = random.chance(0.82);
  const decision = { approved, by: random.pick(colleagues), ...(!approved && { note: random.pick(notes) }) };
  const at = Math.floor(askedAt + random.around(100 * minuteMs, 0.9));
  const isForgotten = askedAt > base - recentMs && random.chance(0.3);
  return isForgotten || at >= base ? [] : [{ kind: 'decision', at, decision, script }];
}

function planTick({ at, name, workflowId }: ReturnType<typeof ticksOfThePast>[number]): HistoryEvent {
  const tick = new Date(at).toISOString().replace('.000Z', 'Z');
  const text = 'Good morning. A few refunds wait for a decision; the others are done.';
  return {
    kind: 'schedule',
    at,
    workflowId,
    name,
    executionId: `${workflowId}:${name}:${tick}`,
    script: { answers: { writer: [{ text }] } },
  };
}

type Mail = readonly [topic: string, subject: string];
const mails: readonly [Mail, ...Mail[]] = [
  ['delivery', 'My parcel has not arrived'],
  ['delivery', 'The tracking link does not work'],
  ['refund', 'I am still waiting for my money'],
  ['refund', 'I have sent the boots back two weeks ago'],
  ['product', 'Is the tent for two large enough for three?'],
  ['product', 'Do you have the rain jacket in green?'],
  ['invoice', 'I need an invoice with my company on it'],
  ['other', 'May I visit your shop with a dog?'],
];

function planMail(random: Random, base: number, at: number): HistoryEvent {
  const customer = someCustomer(random);
  const [topic, subject] = random.pick(mails);
  const orderId = someOrder(random);
  const failure = someFailure(random, at, base);
  const sorted = { topic, urgency: random.pick(['low', 'normal', 'normal', 'high']), orderId };
  const answer = failure === undefined ? { text: JSON.stringify(sorted) } : { failure };
  const text = `From: ${customer.name}\nSubject: ${subject}\n\nHello,\nmy order is ${orderId}. ${subject}. Please answer soon.\n${customer.name}, ${customer.city}`;
  return {
    kind: 'mail',
    at: Math.min(at, base - hourMs / 12),
    customer,
    text,
    script: { answers: { 'front-desk': [answer] } },
  };
}

function someOrder(random: Random): string {
  return `K-1${String(random.between(0, 999)).padStart(3, '0')}`;
}
