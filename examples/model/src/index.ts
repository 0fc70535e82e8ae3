export { chooseModel, type ChosenModel } from './choose-model.ts';
export { demoModel, type DemoModelOptions } from './demo-model.ts';
