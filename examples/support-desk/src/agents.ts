import { Agent, type AgentOptions, type GenerationSettings } from '@halyard/core';
import { createRefundTool, createVoucherTool, searchHelp, type StartRefund } from './help-tools.ts';
import { createOrderTools } from './order-tools.ts';
import type { Shop } from './shop.ts';

/**
 * No sampling settings are sent, because reasoning models reject some of them. The provider's
 * defaults apply.
 */
const providerDefaults: GenerationSettings = {
  temperature: null,
  maxOutputTokens: null,
  topP: null,
  frequencyPenalty: null,
  presencePenalty: null,
};

export type AgentId = 'front-desk' | 'orders' | 'returns' | 'writer';

export interface DeskAgentsOptions {
  readonly modelOf: (agent: AgentId) => AgentOptions['model'];
  readonly shop: Shop;
  readonly startRefund: StartRefund;
}

/**
 * Two experts, a front desk that hands each request to one of them, and a writer for the workflows.
 */
export function createAgents({ modelOf, shop, startRefund }: DeskAgentsOptions): Readonly<Record<AgentId, Agent>> {
  const shared = { generation: providerDefaults, retries: { maxRetries: 0 } };
  const orders = new Agent({
    ...shared,
    id: 'orders',
    name: 'Orders',
    description: 'Knows orders and parcels: where an order is, and how to change its address or cancel it',
    instructions:
      'You are the expert for orders of Kestrel, a shop for outdoor gear. Look everything up with your tools, and never guess. Be brief and friendly.',
    model: modelOf('orders'),
    tools: createOrderTools(shop),
  });
  const returns = new Agent({
    ...shared,
    id: 'returns',
    name: 'Returns and advice',
    description: 'Knows returns, refunds, sizes and the care of products, and starts refunds',
    instructions:
      'You answer questions about returns and products of Kestrel, a shop for outdoor gear. Search the help articles first, and name the article. Start a refund when the customer asks for it and names the order.',
    model: modelOf('returns'),
    tools: [searchHelp, createRefundTool(startRefund)],
  });
  const frontDesk = new Agent({
    ...shared,
    id: 'front-desk',
    name: 'Front desk',
    description: 'Takes every request of a customer and hands it to the right expert',
    instructions:
      'You are the front desk of Kestrel, a shop for outdoor gear. Hand questions about orders and parcels to the agent for orders, and questions about returns, refunds and products to the agent for returns. Pass the answer on in your own words. You may apologise with a voucher.',
    model: modelOf('front-desk'),
    tools: [createVoucherTool(shop)],
    subAgents: [orders, returns],
  });
  // It has no tools: what a customer wrote into a request cannot make a letter start another
  // refund.
  const writer = new Agent({
    ...shared,
    id: 'writer',
    access: 'operators',
    name: 'Writer',
    description: 'Writes letters to customers and reports for the team',
    instructions: 'You write for Kestrel, a shop for outdoor gear. Be brief and friendly.',
    model: modelOf('writer'),
  });
  return { 'front-desk': frontDesk, orders, returns, writer };
}
