import { createTool, type Tool } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { helpArticles } from './help-articles.ts';
import { OrderId } from './order-tools.ts';
import type { RefundRequest } from './refund.ts';
import { nameOf, type Shop } from './shop.ts';
import { wordEmbedding } from './word-embedding.ts';

/** Starts a refund, and does not wait for its end. @returns the id of the execution. */
export type StartRefund = (request: RefundRequest, userId: string | undefined) => Promise<string>;

/** Finds the help articles whose meaning is closest to a question. */
export const searchHelp = createTool({
  name: 'searchHelp',
  description: 'Search the help articles: returns, refunds, delivery times, sizes, care of products, paying, vouchers',
  input: Type.Object({ question: Type.String({ minLength: 1, description: 'What the customer wants to know' }) }),
  execute: async ({ question }) => {
    const { embeddings } = await wordEmbedding.doEmbed({
      values: [question, ...helpArticles.map(({ text, title }) => `${title} ${text}`)],
    });
    const [asked = [], ...known] = embeddings;
    const ranked = helpArticles
      .map((article, index) => ({ ...article, score: Number(similarity(asked, known[index] ?? []).toFixed(3)) }))
      .filter(({ score }) => score > 0.1)
      .toSorted((a, b) => b.score - a.score);
    return { articles: ranked.slice(0, 2) };
  },
});

/** Starts the workflow `refund`, which asks a person about large amounts. */
export function createRefundTool(startRefund: StartRefund): Tool {
  return createTool({
    name: 'startRefund',
    // Only the agent calls it.
    access: 'server',
    description: 'Start the refund of an order: give the money back',
    input: Type.Object({ orderId: OrderId, reason: Type.String({ minLength: 3, maxLength: 300 }) }),
    execute: async ({ orderId, reason }, { userId }) => ({
      refund: await startRefund({ orderId, reason, customer: nameOf(userId ?? 'guest') }, userId),
      orderId,
      started: true,
    }),
  });
}

/**
 * A voucher of more than this needs the approval of a person. In a chat, the person who asks
 * approves: a verified customer gets no such voucher.
 */
const freeVoucherEuros = 10;

export function createVoucherTool(shop: Shop): Tool {
  return createTool({
    name: 'giveVoucher',
    // Only the agent calls it.
    access: 'server',
    description: 'Give the customer a voucher as an apology',
    input: Type.Object({ euros: Type.Integer({ minimum: 5, maximum: 100 }) }),
    needsApproval: ({ euros }, { user }) => euros > freeVoucherEuros && user === undefined,
    execute: async ({ euros }, { idempotencyKey, user }) => {
      if (euros > freeVoucherEuros && user !== undefined)
        return { euros, refused: `only the team gives vouchers of more than € ${freeVoucherEuros}` };
      return shop.giveVoucher(euros, idempotencyKey);
    },
  });
}

/** The cosine of the angle between two vectors. */
function similarity(a: readonly number[], b: readonly number[]): number {
  const product = (left: readonly number[], right: readonly number[]): number =>
    left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
  return product(a, b) / (Math.sqrt(product(a, a) * product(b, b)) || 1);
}
