import type { RouteLists, Rules } from './requirement.ts';
import { matchesAny, parsePatterns } from './route-pattern.ts';

/** The rules of policy mode: public by list, else console by list, else user. An unknown route accepts either credential and is answered with 404. */
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
