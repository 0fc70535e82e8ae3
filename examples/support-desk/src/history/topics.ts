import type { AgentId } from '../agents.ts';
import { demoShop } from '../shop.ts';
import type { Random } from './random.ts';
import type { Answer, Customer, Script, Turn } from './script.ts';

/** One matter of a customer: one or two turns. */
export interface Topic {
  readonly title: string;
  readonly turns: readonly Turn[];
}

type TopicOf = (random: Random, customer: Customer, orderId: string) => Promise<Topic>;

/** The matters that customers write about, the frequent ones more than once. */
export const topics: readonly [TopicOf, ...TopicOf[]] = [
  whereIsMyParcel,
  whereIsMyParcel,
  whereIsMyParcel,
  stateOfOrder,
  stateOfOrder,
  returnRules,
  returnRules,
  refundPlease,
  brokenItem,
  sizeAdvice,
  careAdvice,
  careAdvice,
  changeAddress,
  cancelOrder,
  apology,
];

/** The matters that end with a call that waits for a person. */
export const waitingTopics: readonly [TopicOf, ...TopicOf[]] = [changeAddress, cancelOrder, apology];

export function thanks(random: Random): Topic {
  const question = random.pick([
    'Thank you!',
    'Great, thanks a lot.',
    'Perfect, that helps.',
    'Thanks, have a nice day!',
  ]);
  const text = random.pick([
    'You are welcome. Enjoy the outdoors!',
    'My pleasure. Write again any time.',
    'Happy to help!',
  ]);
  return { title: 'Thanks', turns: [asked('front-desk', question, [{ text }])] };
}

async function whereIsMyParcel(random: Random, _customer: Customer, orderId: string): Promise<Topic> {
  const parcel = await demoShop.trackParcel(orderId);
  const question = random.pick([
    `Where is my parcel? The order is ${orderId}.`,
    `Hi, ${orderId} should be here by now. Where is it?`,
    `Can you track order ${orderId} for me?`,
  ]);
  const found = `The parcel of ${orderId} is with ${parcel?.carrier ?? 'the carrier'}, in ${parcel?.place ?? 'transit'}. Arrival: ${parcel?.arrives ?? 'soon'}.`;
  // Carriers do not always answer.
  if (random.chance(0.07)) {
    const script = delegated(
      'orders',
      `Track the parcel of ${orderId}`,
      [
        call('trackParcel', { orderId }),
        { text: `The carrier does not answer at the moment, so I cannot see the parcel of ${orderId}.` },
      ],
      `I cannot reach the carrier right now. Please try again in an hour; I am sorry.`,
    );
    return {
      title: `Where is parcel ${orderId}?`,
      turns: [
        {
          agent: 'front-desk',
          question,
          script: { ...script, shopFailure: 'The carrier does not answer: connect ETIMEDOUT' },
        },
      ],
    };
  }
  const answer = `Good news: ${found} You also find the tracking link in your mail.`;
  return {
    title: `Where is parcel ${orderId}?`,
    turns: [
      {
        agent: 'front-desk',
        question,
        script: delegated(
          'orders',
          `Track the parcel of ${orderId}`,
          [...mistaken(random, orderId), call('trackParcel', { orderId }), { text: found }],
          answer,
        ),
      },
    ],
  };
}

async function stateOfOrder(random: Random, _customer: Customer, orderId: string): Promise<Topic> {
  const order = await demoShop.findOrder(orderId);
  const question = random.pick([`What is the state of order ${orderId}?`, `Has ${orderId} left your store?`]);
  const text = `Order ${orderId}, ${order?.item ?? 'your item'} for € ${order?.euros ?? 0}, is ${order?.state ?? 'packed'}.`;
  return {
    title: `State of ${orderId}`,
    turns: [asked('orders', question, [call('findOrder', { orderId }), { text }])],
  };
}

async function returnRules(random: Random): Promise<Topic> {
  const [question, text] = random.pick(rules);
  return {
    title: question.replace(/\?$/u, ''),
    turns: [
      {
        agent: 'front-desk',
        question,
        script: delegated(
          'returns',
          question,
          [call('searchHelp', { question }), { text }],
          `${text} May I help you with anything else?`,
        ),
      },
    ],
  };
}

type Rule = readonly [question: string, answer: string];
const rules: readonly [Rule, ...Rule[]] = [
  [
    'How long can I return something I have not used?',
    'Within 30 days of delivery, and the return is free. You find the label in your account.',
  ],
  [
    'When do I get my money after a return?',
    'We pay it back within two working days, and your bank shows it three to five days later.',
  ],
  [
    'What happens if my parcel is lost?',
    'If its tracking has not changed for five days, we ask the carrier to search. After ten days we send a new one.',
  ],
  [
    'Can I pay by invoice?',
    'Yes: by card, bank transfer or invoice. A card is charged when the parcel leaves our store.',
  ],
  ['How long is a voucher valid?', 'Three years, for everything in the shop, and you can use it in parts.'],
];

async function refundPlease(random: Random, customer: Customer, orderId: string): Promise<Topic> {
  const order = await demoShop.findOrder(orderId);
  const reason = random.pick([
    'it is too small',
    'I ordered the wrong one',
    'it arrived too late for our tour',
    'the colour is different from the picture',
  ]);
  const item = order?.item.toLowerCase() ?? 'item';
  return {
    title: `Refund of ${orderId}`,
    turns: [
      asked('returns', `I would like to return the ${item}: ${reason}.`, [
        call('searchHelp', { question: `return the ${item}` }),
        {
          text: `Of course. An unused ${item} can be returned within 30 days. Shall I start the refund of ${orderId}?`,
        },
      ]),
      asked('returns', 'Yes, please.', [
        call('startRefund', { orderId, reason }),
        {
          text: `Done: the refund of ${orderId} has started, ${customer.name.split(' ')[0] ?? ''}. You get a mail when the money is on its way.`,
        },
      ]),
    ],
  };
}

async function brokenItem(random: Random, _customer: Customer, orderId: string): Promise<Topic> {
  const order = await demoShop.findOrder(orderId);
  const item = order?.item.toLowerCase() ?? 'item';
  const flaw = random.pick(['is torn at the seam', 'leaks', 'is cracked', 'broke on the first day']);
  const question = `My ${item} ${flaw}. What can I do? Order ${orderId}.`;
  const text = `I am sorry about that. A damaged item can be repaired, replaced or paid back; the guarantee is two years. Please send us a photo.`;
  return {
    title: `${order?.item ?? 'Item'} ${flaw}`,
    turns: [
      {
        agent: 'front-desk',
        question,
        script: delegated('returns', question, [call('searchHelp', { question: `damaged ${item}` }), { text }], text),
      },
      {
        agent: 'front-desk',
        question: 'I want my money back.',
        script: delegated(
          'returns',
          `Start the refund of ${orderId}: the ${item} ${flaw}`,
          [
            call('startRefund', { orderId, reason: `the ${item} ${flaw}` }),
            { text: `The refund of ${orderId} has started.` },
          ],
          `I understand. The refund of ${orderId} has started.`,
        ),
      },
    ],
  };
}

async function sizeAdvice(random: Random): Promise<Topic> {
  const question = random.pick([
    'Which size of boots do I need? I wear 42.',
    'Are your jackets cut wide or tight?',
    'Do I need a larger size for thick socks?',
  ]);
  const text =
    'Boots are made for thick socks, so take your usual size. Jackets are cut wide. An exchange of a wrong size is free.';
  return {
    title: 'Choosing a size',
    turns: [asked('returns', question, [call('searchHelp', { question }), { text }])],
  };
}

async function careAdvice(random: Random): Promise<Topic> {
  const question = random.pick([
    'How do I wash my sleeping bag?',
    'My rain jacket gets wet inside. How do I make it waterproof again?',
    'May I take the gas stove on a plane?',
  ]);
  const text = question.includes('stove')
    ? 'The stove may fly if it is clean and does not smell of gas. Cartridges are never allowed.'
    : question.includes('jacket')
      ? 'Wash it, spray it while it is wet, and let it dry in a warm place. Once a season is enough.'
      : 'At 30 degrees with soap for down, then dry it slowly with two tennis balls. Never store it compressed.';
  return {
    title: 'Care of a product',
    turns: [asked('returns', question, [call('searchHelp', { question }), { text }])],
  };
}

async function changeAddress(random: Random, customer: Customer, orderId: string): Promise<Topic> {
  const address = `${random.pick(['Harbour Street', 'Mill Lane', 'Station Road', 'Birch Avenue'])} ${random.between(1, 90)}, ${customer.city}`;
  const isGranted = (await demoShop.findOrder(orderId))?.state !== 'delivered';
  return {
    title: `New address for ${orderId}`,
    turns: [
      asked('orders', `Please send ${orderId} to another address: ${address}.`, [
        call('changeAddress', { orderId, address }),
      ]),
      decided(
        'orders',
        isGranted,
        'It has arrived already',
        isGranted
          ? `Done. ${orderId} goes to ${address}.`
          : `I am sorry: the parcel has arrived already, so the address stays.`,
      ),
    ],
  };
}

async function cancelOrder(random: Random, _customer: Customer, orderId: string): Promise<Topic> {
  const isGranted = (await demoShop.findOrder(orderId))?.state !== 'delivered';
  return {
    title: `Cancel ${orderId}`,
    turns: [
      asked(
        'orders',
        random.pick([`Please cancel order ${orderId}.`, `I do not need ${orderId} any more, cancel it please.`]),
        [call('cancelOrder', { orderId })],
      ),
      decided(
        'orders',
        isGranted,
        'It has arrived already',
        isGranted
          ? `Order ${orderId} is cancelled.`
          : `I am sorry, ${orderId} has arrived already. You can return it for free.`,
      ),
    ],
  };
}

async function apology(random: Random, _customer: Customer, orderId: string): Promise<Topic> {
  const euros = random.pick([15, 20, 25, 40]);
  const isGranted = random.chance(0.85);
  return {
    title: `Complaint about ${orderId}`,
    turns: [
      asked(
        'front-desk',
        random.pick([
          `I have waited two weeks for ${orderId}. This is not acceptable.`,
          `This is the second time that my order ${orderId} is late!`,
        ]),
        [call('giveVoucher', { euros })],
      ),
      decided(
        'front-desk',
        isGranted,
        'Too much for this delay',
        isGranted
          ? `I am very sorry. Here is a voucher of € ${euros} for your next order.`
          : `I am very sorry about the delay. A colleague will write to you today.`,
      ),
    ],
  };
}

function asked(agent: AgentId, question: string, answers: readonly Answer[]): Turn {
  return { agent, question, script: { answers: { [agent]: answers } } };
}

function decided(agent: AgentId, approved: boolean, reason: string, text: string): Turn {
  return { agent, question: { approved, ...(!approved && { reason }) }, script: { answers: { [agent]: [{ text }] } } };
}

/** The front desk asks an expert, and passes the answer on. */
function delegated(expert: 'orders' | 'returns', task: string, answers: readonly Answer[], answer: string): Script {
  return { answers: { 'front-desk': [call(`ask_${expert}`, { task }), { text: answer }], [expert]: answers } };
}

/** Now and then a model calls a tool with arguments that do not fit, and corrects itself. */
function mistaken(random: Random, orderId: string): readonly Answer[] {
  return random.chance(0.05) ? [call('trackParcel', { orderId: orderId.slice(2) })] : [];
}

function call(toolName: string, input: Readonly<Record<string, unknown>>): Answer {
  return { calls: [{ toolName, input }] };
}
