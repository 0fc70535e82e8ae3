import type { RuleTester } from 'oxlint/plugins-dev';

type Rule = Parameters<RuleTester['run']>[1];

/** A thrown `Error` has no kind and no code, so the server could only answer 500. */
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

/** `x as unknown as Y` states a type that nothing checks. */
export const noDoubleAssertion: Rule = {
  create: (context) => ({
    TSAsExpression(node) {
      if (node.expression.type !== 'TSAsExpression') return;
      context.report({ node, message: 'Narrow the value with a check instead of asserting twice.' });
    },
  }),
};

/** What a package exports is a list that a person reads. */
export const noExportAll: Rule = {
  create: (context) => ({
    ExportAllDeclaration(node) {
      context.report({ node, message: 'Name what is exported.' });
    },
  }),
};

/** Tests decide what time it is. To hand `Date.now` on as a `Clock` is fine; to call it is not. */
export const noWallClock: Rule = {
  create: (context) => {
    const message = 'Ask the Clock that was passed in: tests decide what time it is.';
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

export default {
  meta: { name: 'halyard' },
  rules: {
    'no-bare-error': noBareError,
    'no-double-assertion': noDoubleAssertion,
    'no-export-all': noExportAll,
    'no-wall-clock': noWallClock,
  },
};
