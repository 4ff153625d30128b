// Asked where the token does not match: lets in who says `Authorization: Bearer open-sesame`.
export default async function ({ headers }) {
  return { ok: headers.authorization === 'Bearer open-sesame' };
}
