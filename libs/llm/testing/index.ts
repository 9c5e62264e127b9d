export {
  ADD_TOOL,
  aRequest,
  callsOf,
  collect,
  describeModelContract,
  MULTIPLY_TOOL,
  textOf,
  userSays,
} from './model-contract.js';
