import { chooseModel } from '@halyard/example-model';
import { createQuickstart } from './server.ts';
import { startScreen } from './start-screen.ts';

const { model, label, hint } = await chooseModel();
const server = await createQuickstart(model);
const url = await server.listen();
console.log(startScreen(url, label, hint));
