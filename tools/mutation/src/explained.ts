/** A kind of survivor that no test can notice, because it has no effect. */
export interface Explained {
  /** The end of its path. */
  readonly file: string;
  /** A part of the changed line. */
  readonly line: string;
  /** The kinds of changes, as Stryker's report names them. */
  readonly mutators: readonly string[];
  readonly reason: string;
}

export const explained: readonly Explained[] = [
  {
    file: 'core/src/chat/to-ui-chunks.ts',
    line: "case 'tool-input-end':",
    mutators: ['StringLiteral'],
    reason: 'The default case returns the same: it exists for the compiler.',
  },
  {
    file: 'core/src/chat/to-ui-chunks.ts',
    line: "case 'raw':",
    mutators: ['StringLiteral', 'ConditionalExpression'],
    reason: 'The default case returns the same: it exists for the compiler.',
  },
  {
    file: 'core/src/chat/to-ui-chunks.ts',
    line: 'default:',
    mutators: ['ConditionalExpression'],
    reason: 'No event reaches it: the compiler checks that the switch is complete.',
  },
  {
    file: 'core/src/chat/to-ui-chunks.ts',
    line: '!== undefined && {',
    mutators: ['ConditionalExpression'],
    reason: 'JSON has no fields that are undefined.',
  },
  {
    file: 'core/src/chat/start-chat.ts',
    line: '!== undefined && {',
    mutators: ['ConditionalExpression'],
    reason: 'JSON has no fields that are undefined.',
  },
  {
    file: 'core/src/chat/collect-text.ts',
    line: "text: ''",
    mutators: ['StringLiteral'],
    reason: 'The start of the first step replaces it.',
  },
  {
    file: 'core/src/chat/collect-text.ts',
    line: "collected.text = '';",
    mutators: ['StringLiteral'],
    reason: 'The start of the next step replaces it.',
  },
  {
    file: 'core/src/chat/answer-writer.ts',
    line: "this.#state = 'lost';",
    mutators: ['StringLiteral'],
    reason: 'Only open, ending and ended are compared.',
  },
  {
    file: 'core/src/chat/answer-writer.ts',
    line: 'JSON.stringify(chunk.type',
    mutators: ['ConditionalExpression'],
    reason: 'JSON has no fields that are undefined.',
  },
  {
    file: 'core/src/chat/resumed-step.ts',
    line: '() => 0,',
    mutators: ['ArrowFunction'],
    reason: 'A weight of NaN is below every limit, too.',
  },
  {
    file: 'client/src/workflow-client.ts',
    line: '!== undefined && {',
    mutators: ['ConditionalExpression'],
    reason: 'JSON has no fields that are undefined.',
  },
];
