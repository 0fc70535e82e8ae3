/**
 * The parts of an app that type `createClient`: `typeof server`, or the type of the options of the
 * plugin. Without it, every id is accepted.
 */
export type RegisteredIn<App> = '~app' extends keyof App ? NonNullable<App['~app']> : App;

/** The ids of the app's agents. */
export type AgentId<App> = IdIn<ItemOf<App, 'agents'>>;

/** The ids of the app's workflows. */
export type WorkflowId<App> = IdIn<FlowOf<ItemOf<App, 'workflows'>>>;

/** The names of the app's tools: those of the server and those of its agents, also as `agent/tool`. */
export type ToolName<App> = NameIn<ToolOf<App>> | PathIn<ItemOf<App, 'agents'>>;

/** The types of one workflow, as they are sent: JSON. */
export interface WorkflowTypes<Input = unknown, Result = unknown, Resume = unknown> {
  readonly input: Input;
  readonly result: Result;
  readonly resume: Resume;
}

/** The types of the workflow with this id. */
export type WorkflowWith<App, Id> = TypesOf<WithId<ItemOf<App, 'workflows'>, Id>>;

/** The types of the tool with this name. */
export type ToolWith<App, Name> = Name extends `${infer Id}/${infer Own}`
  ? ToolTypesOf<Extract<ToolsOfAgent<AgentWithId<ItemOf<App, 'agents'>, Id>>, { readonly name: Own }>>
  : ToolTypesOf<Extract<ToolOf<App>, { readonly name: Name }>>;

/**
 * The tools of the agent with this id, by name; of any name where they are not known. Without those
 * that call its sub-agents.
 */
export type AgentTools<App, Id> = ToolsByName<ToolsOfAgent<AgentWithId<ItemOf<App, 'agents'>, Id>>>;

/** The types of one tool, as they are sent: JSON. */
export interface ToolTypes<Input = unknown, Output = unknown> {
  readonly input: Input;
  readonly output: Output;
}

type Field<App, Name extends string> =
  RegisteredIn<App> extends { readonly [Key in Name]?: infer Items } ? Items : never;

/** The things of a list or of a record. */
type Item<Items> = Items extends readonly (infer One)[] ? One : Items extends object ? Items[keyof Items] : never;
type ItemOf<App, Name extends string> = unknown extends App ? unknown : Item<NonNullable<Field<App, Name>>>;

type IdIn<Thing> = unknown extends Thing
  ? string
  : Thing extends { readonly id?: infer Id extends string }
    ? Id
    : never;
type NameIn<Thing> = unknown extends Thing
  ? string
  : Thing extends { readonly name: infer Name extends string }
    ? Name
    : never;

type FlowOf<Workflow> = unknown extends Workflow
  ? unknown
  : Workflow extends { readonly '~flow'?: infer Flow }
    ? NonNullable<Flow>
    : never;
type WithId<Workflow, Id> = Workflow extends unknown ? (Id extends IdIn<FlowOf<Workflow>> ? Workflow : never) : never;
type TypesOf<Workflow> = [Workflow] extends [
  { readonly '~workflow'?: (input: infer Input) => infer Result; readonly '~flow'?: infer Flow },
]
  ? WorkflowTypes<Input, Result, NonNullable<Flow> extends { readonly resume: infer Resume } ? Resume : unknown>
  : WorkflowTypes;

type ToolOf<App> = unknown extends App
  ? unknown
  : ItemOf<App, 'tools'> | (ItemOf<App, 'agents'> extends infer Agent ? ToolsOfAgent<Agent> : never);
/** An agent without tools has the type of all possible tools, whose names are any string. */
type ToolsOfAgent<Agent> = Agent extends { readonly '~tools'?: infer Tools } ? Named<Item<NonNullable<Tools>>> : never;
type Named<Tool> = Tool extends { readonly name: infer Name } ? (string extends Name ? never : Tool) : never;
type PathIn<Agent> = unknown extends Agent
  ? never
  : Agent extends unknown
    ? `${IdIn<Agent>}/${NameIn<ToolsOfAgent<Agent>>}`
    : never;
type AgentWithId<Agent, Id> = Agent extends unknown ? (Id extends IdIn<Agent> ? Agent : never) : never;
type ToolsByName<Tool> = [Tool] extends [never]
  ? Record<string, ToolTypes>
  : { [One in Tool as NameIn<One>]: ToolTypesOf<One> };
type ToolTypesOf<Tool> = [Tool] extends [never]
  ? ToolTypes
  : [Tool] extends [{ readonly '~tool'?: (input: infer Input) => infer Output }]
    ? ToolTypes<Input, Output>
    : ToolTypes;
