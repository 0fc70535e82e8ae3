/** Prints a token: `{{run}} token ada`. */
import { signToken } from './sign-token.ts';

console.log(signToken(process.argv[2] ?? 'ada'));
