import { chooseModel } from '@halyard/example-demo-model';
import { createOrderApproval } from './server.ts';
import { startScreen } from './start-screen.ts';

const { model, label, hint } = await chooseModel();
const server = await createOrderApproval(model);
const url = await server.listen();
console.log(startScreen(url, label, hint));
