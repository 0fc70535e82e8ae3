import type { RouteLists, Rules } from './requirement.ts';
import { matchesAny, parsePatterns } from './route-pattern.ts';

/** Policy mode: public by list, else console by list, else a user's. Where no route matched, any credentials will do to be told so. */
export function policyRules(lists: RouteLists): Rules {
  const open = parsePatterns(lists.public, 'auth.publicRoutes');
  const alwaysOpen = parsePatterns(lists.alwaysPublic, 'auth.publicRoutes');
  const console = parsePatterns(lists.console ?? lists.defaultConsole, 'auth.consoleRoutes');
  const isDefault = lists.console === undefined;
  return (route) => {
    if (route.url === undefined) return 'console-or-user';
    if (matchesAny(open, route) || (route.isBelowPrefix && matchesAny(alwaysOpen, route))) return 'public';
    if ((route.isBelowPrefix || !isDefault) && matchesAny(console, route)) return 'console';
    return 'user';
  };
}
