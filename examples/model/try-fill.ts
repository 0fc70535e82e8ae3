import { fillSchema } from '/work/main/examples/model/src/fill-schema.ts';
const today=new Date('2026-11-21T10:00:00Z');
const S={type:'string'},N={type:'number'},I={type:'integer'},B={type:'boolean'};
const o=(properties:any,required:any=Object.keys(properties).filter(k=>!k.endsWith('?')))=>({type:'object',properties:Object.fromEntries(Object.entries(properties).map(([k,v])=>[k.replace('?',''),v])),required,additionalProperties:false});
const T:[string,string,any][]=[
 ["What's the weather in Paris in fahrenheit?",'getWeather',o({city:S,'unit?':{enum:['celsius','fahrenheit']}})],
 ["weather in new york tomorrow",'getWeather',o({city:S,'date?':{type:'string',format:'date'}, 'country?':S})],
 ["Book a table for 4 people tomorrow at 7pm",'bookTable Book a table at a restaurant',o({partySize:I,date:{type:'string',format:'date'},time:S})],
 ["Send an email to bob@example.com about the launch saying hello there",'sendEmail',o({to:{type:'string',format:'email'},subject:S,body:S})],
 ["Convert 10 miles to km",'convertUnits',o({value:N,from:S,to:S})],
 ["convert 100 USD to EUR",'convertCurrency',o({amount:N,from:S,to:S})],
 ["find red shoes under $50",'searchProducts',o({query:S,'maxPrice?':N,'minPrice?':N})],
 ["what is 3 + 4 * 2?",'calculate',o({expression:S})],
 ["what is 3 plus 4?",'calculator',o({a:N,b:N,operation:{enum:['add','subtract','multiply','divide']}})],
 ["Schedule a meeting with Ada and Bob on Friday at 10:00 for 30 minutes",'createEvent',o({title:S,attendees:{type:'array',items:S},start:{type:'string',format:'date-time'},durationMinutes:I})],
 ["Translate 'good morning' to French",'translate',o({text:S,targetLanguage:S})],
 ["translate good morning to German",'translate',o({text:S,targetLanguage:S})],
 ["transfer 1,200.50 EUR from savings to checking",'transferMoney',o({amount:N,currency:S,from:S,to:S})],
 ["order 2 apples, 3 pears and one melon",'placeOrder order groceries',o({items:{type:'array',items:o({name:S,quantity:I})}})],
 ["Remind me to buy milk tomorrow at 9am",'createReminder',o({text:S,at:{type:'string',format:'date-time'}})],
 ["search the docs for how to resume a workflow",'searchDocs',o({query:S,'limit?':{type:'integer',default:5,maximum:20}})],
 ["what do the docs say about suspending?",'searchDocs',o({query:S})],
 ["where is order #1234?",'getOrder',o({orderId:S})],
 ["status of ORD-77 please",'orderStatus',o({orderId:S})],
 ["Flights from Berlin to Lisbon on May 5 for two adults",'searchFlights',o({origin:S,destination:S,date:S,'adults?':I,'cabin?':{enum:['economy','business']}})],
 ["create a high priority ticket: printer on floor 3 is broken",'createTicket',o({title:S,priority:{enum:['low','medium','high']},'assignee?':S})],
 ["add buy milk to my todo list",'addTodo add a todo',o({title:S})],
 ["roll two dice with 20 sides",'rollDice',o({count:I,sides:I})],
 ["turn off the lights in the kitchen",'setLights',o({room:S,on:B})],
 ["Write a haiku about autumn",'ask_poet',o({task:S})],
 ["set a timer for 2 hours",'setTimer',o({seconds:I})],
 ["What's the time in Tokyo?",'getTime',o({timezone:S})],
 ["I'd like a large pizza with cheese and mushrooms, no onions",'orderPizza',o({size:{enum:['small','medium','large']},toppings:{type:'array',items:{enum:['cheese','mushrooms','onions','ham']}}})],
 ["my name is Ada Lovelace, I am 36 and live in London, email ada@x.org",'register',o({name:S,age:I,city:S,email:S})],
 ["city=Oslo units=metric days: 3",'forecast',o({city:S,units:{enum:['metric','imperial']},days:I})],
 ["ship it to 5 Main Street, Springfield",'ship',o({address:o({street:S,city:S})})],
 ["refund order A-1001 for 20 euros because it arrived broken",'refundOrder',o({orderId:S,amount:N,reason:S})],
];
const only=process.argv[2];
for(const [m,s,sc] of T){ if(only&&!m.includes(only))continue; const r=fillSchema(sc,m,{today,subject:s}); console.log(m,'\n   ',JSON.stringify(r?.value),r?.evidence);}
