/** The only test file that Vitest knows: the runner loads the files to run itself, as often as Stryker asks. */
import { it } from 'vitest';

it('starts', () => {});
