export { createRestateEngine, type RestateEngineOptions } from './create-restate-engine.ts';
export {
  findRegistration,
  type RegisterOptions,
  registerDeployment,
  type Registration,
} from './register-deployment.ts';
