/** The part of a node of Babel's syntax tree, and of its path, that is needed here. */
interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly name?: string;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
  readonly callee?: Node;
  readonly property?: Node;
  /** The declared type of a variable. */
  readonly id?: { readonly typeAnnotation?: { readonly typeAnnotation?: { readonly typeName?: Node } } };
}

interface NodePath {
  readonly node: Node;
  readonly parentPath: NodePath | null;
}

const logMethods = ['debug', 'info', 'warn', 'error', 'emitWarning'];

/**
 * Why a node is not changed: texts for people and the fields of log lines are not behaviour that a
 * test should fix.
 */
function shouldIgnore({ node, parentPath }: NodePath): string | undefined {
  if (node.type === 'BooleanLiteral' && isOptionNames(parentPath?.parentPath?.parentPath?.node))
    return 'only the names of such an object are read';
  const call = parentPath?.node;
  if (call?.type === 'NewExpression' && isSentence(node) && call.callee?.name?.endsWith('Error') === true)
    return 'the message of an error';
  if (call?.type !== 'CallExpression') return undefined;
  if (call.callee?.type === 'Super' && isSentence(node)) return 'the message of an error';
  const isLog = logMethods.includes(call.callee?.property?.name ?? '');
  return isLog && (isSentence(node) || node.type === 'ObjectExpression') ? 'a log line' : undefined;
}

function isOptionNames(variable: Node | undefined): boolean {
  return variable?.id?.typeAnnotation?.typeAnnotation?.typeName?.name === 'OptionNames';
}

/** A text with a blank. Codes and kinds have none. */
function isSentence({ quasis = [], type, value }: Node): boolean {
  const texts = type === 'StringLiteral' ? [String(value)] : quasis.map((quasi) => quasi.value.raw);
  return texts.some((text) => text.includes(' '));
}

export const strykerPlugins = [{ kind: 'Ignore', name: 'texts', value: { shouldIgnore } }];
