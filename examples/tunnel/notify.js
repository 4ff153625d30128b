// What is changed here is what a client that asks for the payload gets back.
export default async function (payload) {
  console.log('notify:', payload.message);
  payload.seen = true;
}
