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
  {
    file: 'core/src/agent/approvals/approval-answers.ts',
    line: 'messages.slice(end).filter(isToolMessage)',
    mutators: ['MethodExpression'],
    reason: 'All messages from there on have the role tool: the filter exists for the compiler.',
  },
  {
    file: 'core/src/agent/approvals/approval-answers.ts',
    line: "return message.role === 'tool';",
    mutators: ['ConditionalExpression'],
    reason: 'It gets only messages of the role tool: it exists for the compiler.',
  },
  {
    file: 'core/src/agent/approvals/approval-answers.ts',
    line: "if (message.role !== 'tool') return [message];",
    mutators: ['ConditionalExpression', 'ArrayDeclaration'],
    reason: 'It gets only messages of the role tool: it exists for the compiler.',
  },
  {
    file: 'core/src/agent/approvals/approval-answers.ts',
    line: 'asking.content : [];',
    mutators: ['ArrayDeclaration'],
    reason: 'A text in the place of a part has no type.',
  },
  {
    file: 'core/src/agent/approvals/approval-answers.ts',
    line: '[part.toolCallId] : []',
    mutators: ['ArrayDeclaration'],
    reason: 'No call has this id.',
  },
  {
    file: 'core/src/agent/approvals/approval-answers.ts',
    line: '[request.approvalId] : []',
    mutators: ['ArrayDeclaration'],
    reason: 'No approval has this id.',
  },
  {
    file: 'core/src/agent/approvals/approval-answers.ts',
    line: 'if (verified.size > 0) await nextTurn();',
    mutators: ['ConditionalExpression', 'EqualityOperator'],
    reason: 'One more turn of the event loop before the first answer.',
  },
  {
    file: 'core/src/agent/approvals/approval-answers.ts',
    line: 'askedId === undefined ? undefined',
    mutators: ['ConditionalExpression'],
    reason: 'No call has the id undefined.',
  },
  {
    file: 'core/src/agent/approvals/approval-answers.ts',
    line: 'found === undefined && askedId === undefined',
    mutators: ['ConditionalExpression'],
    reason: 'Without a request and without calls to compare with, none is found.',
  },
  {
    file: 'core/src/agent/approvals/approval-answers.ts',
    line: "part.type !== 'tool-result' || !answered.has",
    mutators: ['ConditionalExpression'],
    reason: 'Only results have the id of a call.',
  },
  {
    file: 'core/src/agent/approvals/execution-answers.ts',
    line: "placeOfApproval(approvalId) ?? ''",
    mutators: ['Regex', 'StringLiteral', 'ArrayDeclaration'],
    reason:
      'The last group takes the rest of the text in any case; a text without a slash matches as little as the empty one.',
  },
  {
    file: 'core/src/agent/approvals/execution-answers.ts',
    line: 'executionId === undefined || path === undefined',
    mutators: ['LogicalOperator', 'ConditionalExpression'],
    reason: 'The expression finds both or none.',
  },
  {
    file: 'core/src/agent/approvals/execution-answers.ts',
    line: 'if (memory === undefined || conversationId === undefined) return [];',
    mutators: ['ArrayDeclaration'],
    reason: 'A text in the place of a message has no role.',
  },
  {
    file: 'core/src/agent/approvals/execution-answers.ts',
    line: "if (last?.role !== 'assistant') return [];",
    mutators: ['ArrayDeclaration'],
    reason: 'A text in the place of a message has no role.',
  },
  {
    file: 'core/src/agent/approvals/execution-answers.ts',
    line: "if (!('approval' in part) || part.approval === undefined) return part;",
    mutators: ['LogicalOperator', 'ConditionalExpression'],
    reason: 'JSON has no fields that are undefined.',
  },
  {
    file: 'core/src/agent/approvals/execution-answers.ts',
    line: 'Array.isArray(list) ? list : [];',
    mutators: ['ArrayDeclaration'],
    reason: 'A text in the place of a part has no approval.',
  },
  {
    file: 'core/src/agent/approvals/execution-answers.ts',
    line: "if (typeof part !== 'object' || part === null) return [];",
    mutators: ['ArrayDeclaration'],
    reason: 'The text names no execution: it has no @.',
  },
  {
    file: 'core/src/agent/approvals/execution-answers.ts',
    line: 'if (ids.has(subAgent.id)) continue;',
    mutators: ['ConditionalExpression'],
    reason: 'The set contains each id once: this only saves work.',
  },
  {
    file: 'core/src/memory/memory.ts',
    line: 'options.vectors === undefined || options.embedding === undefined',
    mutators: ['LogicalOperator', 'ConditionalExpression'],
    reason: 'Either both are set or none: the settings are checked before.',
  },
  {
    file: 'core/src/memory/memory.ts',
    line: 'if (clone.includeMessages)',
    mutators: ['ConditionalExpression'],
    reason: 'A copy without messages has nothing to index.',
  },
  {
    file: 'core/src/memory/memory.ts',
    line: 'if (summaries.length > 0)',
    mutators: ['ConditionalExpression', 'EqualityOperator'],
    reason: 'Nothing is deleted where nothing is named.',
  },
  {
    file: 'core/src/memory/memory.ts',
    line: '({ id }) => id',
    mutators: ['ArrowFunction'],
    reason: 'Without ids, the whole conversation is indexed: what is unchanged is not embedded again.',
  },
  {
    file: 'core/src/memory/memory.ts',
    line: ': MessagePlace[] = [];',
    mutators: ['ArrayDeclaration'],
    reason: 'A text in the place of a message has no role.',
  },
  {
    file: 'core/src/memory/memory.ts',
    line: 'sent.get(id)?.parts',
    mutators: ['OptionalChaining'],
    reason: 'Only messages with these ids are read.',
  },
  {
    file: 'core/src/memory/memory.ts',
    line: "userId: owner === 'anyone' ? undefined : owner.user",
    mutators: ['ConditionalExpression', 'EqualityOperator', 'StringLiteral'],
    reason: 'The user of a job only decides when it has its turn: message-index.test.ts tests that.',
  },
  {
    file: 'core/src/memory/titles.ts',
    line: '.replace(/^[',
    mutators: ['Regex'],
    reason: 'It matches at the start in any case: all of it is optional.',
  },
  {
    file: 'core/src/memory/titles.ts',
    line: '(lastSpace > 0 ?',
    mutators: ['MethodExpression', 'EqualityOperator'],
    reason: 'The text begins with no blank, and has no two in a row.',
  },
  {
    file: 'core/src/memory/working-memory/merge-json.ts',
    line: 'present === undefined ? value',
    mutators: ['ConditionalExpression'],
    reason: 'Merging with nothing returns the value, too.',
  },
  {
    file: 'core/src/memory/working-memory/merge-json.ts',
    line: 'if (!byText.has(text))',
    mutators: ['ConditionalExpression'],
    reason: 'Equal items differ at most in the order of their fields.',
  },
  {
    file: 'core/src/memory/working-memory/merge-json.ts',
    line: ".toSorted().join(',')",
    mutators: ['StringLiteral'],
    reason: 'Names are quoted: fields cannot run into each other.',
  },
  {
    file: 'core/src/memory/working-memory/schema-format.ts',
    line: "'the working memory'",
    mutators: ['StringLiteral'],
    reason: 'A text for people.',
  },
  {
    file: 'core/src/memory/working-memory/schema-format.ts',
    line: 'error instanceof NotJsonError',
    mutators: ['ConditionalExpression'],
    reason: 'It throws nothing else.',
  },
  {
    file: 'core/src/memory/working-memory/schema-format.ts',
    line: '} catch {',
    mutators: ['BlockStatement'],
    reason: 'Without a statement, undefined is returned, too.',
  },
  {
    file: 'core/src/memory/working-memory/working-memory.ts',
    line: "return key.scope === 'user'",
    mutators: ['ConditionalExpression', 'StringLiteral'],
    reason: 'The key of a user is always that of the owner.',
  },
  {
    file: 'core/src/agent/objects/array-output.ts',
    line: 'minItems !== undefined && maxItems !== undefined',
    mutators: ['ConditionalExpression', 'LogicalOperator'],
    reason: 'A comparison with undefined is false.',
  },
  {
    file: 'core/src/agent/objects/array-output.ts',
    line: 'const emitted: string[] = [];',
    mutators: ['ArrayDeclaration'],
    reason: 'No element is this text.',
  },
  {
    file: 'core/src/agent/objects/array-output.ts',
    line: 'if (element !== undefined) emitted[index] = json;',
    mutators: ['ConditionalExpression'],
    reason: 'Without an element, the index is Infinity, which is no place in the list.',
  },
  {
    file: 'core/src/agent/objects/array-output.ts',
    line: '} catch {',
    mutators: ['BlockStatement'],
    reason: 'Without a statement, the value is undefined, which no schema accepts.',
  },
  {
    file: 'core/src/agent/objects/array-output.ts',
    line: "schema.validate(value, 'element')",
    mutators: ['StringLiteral'],
    reason: 'The message is not used.',
  },
  {
    file: 'core/src/agent/objects/choice-output.ts',
    line: 'if (result === undefined) continue;',
    mutators: ['ConditionalExpression'],
    reason: 'No option starts with the text undefined.',
  },
  {
    file: 'core/src/agent/objects/choice-output.ts',
    line: '|| only === undefined ||',
    mutators: ['ConditionalExpression'],
    reason: 'One option is possible: the comparison exists for the compiler.',
  },
  {
    file: 'core/src/agent/objects/element-scanner.ts',
    line: "#name = '';",
    mutators: ['StringLiteral'],
    reason: 'The name of the first field replaces it.',
  },
  {
    file: 'core/src/agent/objects/element-scanner.ts',
    line: 'if (this.#isInList) this.#element',
    mutators: ['ConditionalExpression'],
    reason: 'Outside of the list, the piece starts at its end.',
  },
  {
    file: 'core/src/agent/objects/partial-objects.ts',
    line: "let lastJson = '';",
    mutators: ['StringLiteral'],
    reason: 'No JSON is this text.',
  },
];
