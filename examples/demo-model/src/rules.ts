/**
 * A tool that the demo model calls when a message matches. Only tools that the agent has are
 * called.
 */
interface Rule {
  readonly message: RegExp;
  readonly toolName: string;
  readonly input: (match: RegExpExecArray) => object;
}

const order = ([, orderId]: RegExpExecArray): object => ({ orderId });
const task = ({ input }: RegExpExecArray): object => ({ task: input });
const nothing = (): object => ({});
const unit = '(kilometres|miles|metres|feet|kilograms|pounds|celsius|fahrenheit)';

/** Of all examples. The first match applies. */
export const rules: readonly Rule[] = [
  // quickstart
  { message: /\btime\b.*\bin ([\p{L} ]+)/iu, toolName: 'getTime', input: ([, city]) => ({ city }) },
  {
    message: new RegExp(String.raw`(-?[\d.]+) ${unit} (?:in)?to ${unit}`, 'i'),
    toolName: 'convertUnits',
    input: ([, value, from = '', to = '']) => ({
      value: Number(value),
      from: from.toLowerCase(),
      to: to.toLowerCase(),
    }),
  },
  { message: /\bnote: *(.+)/iu, toolName: 'addNote', input: ([, text]) => ({ text }) },
  { message: /\bdelete\b.*\bnotes\b/iu, toolName: 'deleteNotes', input: nothing },
  { message: /\bnotes\b/iu, toolName: 'listNotes', input: nothing },
  { message: /\b(?:time|notes?|convert)\b/iu, toolName: 'ask_assistant', input: task },
  // with-vite-chat, with-nextjs
  {
    message: /\b(?:tides?|water)\b.*\b(Falmouth|Fowey|Salcombe|Dartmouth)\b/u,
    toolName: 'tideTimes',
    input: ([, harbour]) => ({ harbour }),
  },
  {
    message: /\bbook\b.*\b(A4|B11|C2)\b.*?(\d+) nights?\b/iu,
    toolName: 'bookBerth',
    input: ([, berth, nights]) => ({ berth, nights: Number(nights) }),
  },
  { message: /\bberths?\b/iu, toolName: 'listBerths', input: nothing },
  // support-desk
  {
    message: /\brefund\b.*\b(K-1\d{3})\b/iu,
    toolName: 'startRefund',
    input: ({ 1: orderId, input }) => ({ orderId, reason: input.slice(0, 300) }),
  },
  { message: /\bvoucher\b.*?(\d+)/iu, toolName: 'giveVoucher', input: ([, euros]) => ({ euros: Number(euros) }) },
  { message: /\b(?:refund|returns?|sizes?|wash|help)\b/iu, toolName: 'ask_returns', input: task },
  { message: /\b(?:K-1\d{3}|orders?|parcels?)\b/iu, toolName: 'ask_orders', input: task },
  {
    message: /\b(?:refund|returns?|sizes?|wash|help)\b/iu,
    toolName: 'searchHelp',
    input: ({ input }) => ({ question: input }),
  },
  { message: /\bcancel\b.*\b(K-1\d{3})\b/iu, toolName: 'cancelOrder', input: order },
  {
    message: /\baddress\b.*\b(K-1\d{3}) to (.{5,200})/iu,
    toolName: 'changeAddress',
    input: ([, orderId, address]) => ({ orderId, address }),
  },
  { message: /\b(?:track|parcel|where)\b.*\b(K-1\d{3})\b/iu, toolName: 'trackParcel', input: order },
  { message: /\b(K-1\d{3})\b/u, toolName: 'findOrder', input: order },
  // order-approval, fastify-plugin
  { message: /\b(P-[0-9A-F]{6})\b/u, toolName: 'deliveryDay', input: ([, parcel]) => ({ parcel }) },
  { message: /\borders\b/iu, toolName: 'listOrders', input: nothing },
];
