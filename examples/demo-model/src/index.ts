export { chooseModel } from './choose-model.ts';
export { demoModel } from './demo-model.ts';
