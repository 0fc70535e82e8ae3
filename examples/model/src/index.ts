export { chooseModel, type ChosenModel, type ModelEnvironment } from './choose-model.ts';
export { demoModel, type DemoModelOptions } from './demo-model.ts';
