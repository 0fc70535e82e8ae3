import type { RuleTester } from 'oxlint/plugins-dev';

type Rule = Parameters<RuleTester['run']>[1];
type Visitor = ReturnType<NonNullable<Rule['create']>>;
type Node = Parameters<NonNullable<Visitor['TSPropertySignature']>>[0]['parent'];

/** A plain `Error` has no kind and no code, so the server can only answer with 500. */
export const noBareError: Rule = {
  create: (context) => ({
    ThrowStatement({ argument }) {
      if (argument.type !== 'NewExpression' && argument.type !== 'CallExpression') return;
      if (argument.callee.type !== 'Identifier') return;
      if (!['Error', 'TypeError', 'RangeError'].includes(argument.callee.name)) return;
      context.report({
        node: argument,
        message: 'Throw an error class of @halyard/contracts: it has a kind and a code.',
      });
    },
  }),
};

/** `x as unknown as Y` disables type checking. */
export const noDoubleAssertion: Rule = {
  create: (context) => ({
    TSAsExpression(node) {
      if (node.expression.type !== 'TSAsExpression') return;
      context.report({ node, message: 'Narrow the value with a check instead of asserting twice.' });
    },
  }),
};

/** The exports of a package are listed explicitly. */
export const noExportAll: Rule = {
  create: (context) => ({
    ExportAllDeclaration(node) {
      context.report({ node, message: 'List the exports by name.' });
    },
  }),
};

/** Tests control the clock. Passing `Date.now` as a `Clock` is allowed; calling it is not. */
export const noWallClock: Rule = {
  create: (context) => {
    const message = 'Use the injected Clock, so that tests can control the time.';
    return {
      CallExpression(node) {
        const { callee } = node;
        if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return;
        if (callee.property.type !== 'Identifier' || callee.property.name !== 'now') return;
        if (!['Date', 'performance'].includes(callee.object.name)) return;
        context.report({ node, message });
      },
      NewExpression(node) {
        if (node.callee.type !== 'Identifier' || node.callee.name !== 'Date' || node.arguments.length > 0) return;
        context.report({ node, message });
      },
    };
  },
};

const optionsName = /(Options|Hooks|Settings|Limits|Timeouts|Filter|FlowControl|PreparedStep)$/;

function belongsToOptions(node: Node): boolean {
  const declared = node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration';
  if (declared) return optionsName.test(node.id.name);
  return Boolean(node.parent && belongsToOptions(node.parent));
}

const unambiguousInUnion = /^TS(?!FunctionType|ConstructorType|ConditionalType|InferType)/;

/**
 * Apps may compile with `exactOptionalPropertyTypes`, where `name?: string` refuses `undefined`. An
 * option that an app leaves to its environment (`key: process.env.KEY`) must accept it.
 */
export const optionsAcceptUndefined: Rule = {
  meta: { fixable: 'code' },
  create: (context) => ({
    TSPropertySignature(node) {
      const type = node.typeAnnotation?.typeAnnotation;
      if (!node.optional || !type || !belongsToOptions(node)) return;
      const parts = type.type === 'TSUnionType' ? type.types : [type];
      const accepting = ['TSUndefinedKeyword', 'TSUnknownKeyword', 'TSAnyKeyword'];
      if (parts.some((part) => accepting.includes(part.type))) return;
      const text = context.sourceCode.getText(type);
      const accepted = unambiguousInUnion.test(type.type) ? text : `(${text})`;
      context.report({
        node,
        message: 'Let the option accept undefined, for apps with exactOptionalPropertyTypes.',
        fix: (fixer) => fixer.replaceText(type, `${accepted} | undefined`),
      });
    },
    TSMethodSignature(node) {
      if (node.optional && belongsToOptions(node))
        context.report({ node, message: 'Write the function as a property that accepts undefined.' });
    },
  }),
};

export default {
  meta: { name: 'halyard' },
  rules: {
    'no-bare-error': noBareError,
    'no-double-assertion': noDoubleAssertion,
    'no-export-all': noExportAll,
    'no-wall-clock': noWallClock,
    'options-accept-undefined': optionsAcceptUndefined,
  },
};
