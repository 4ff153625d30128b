// The tools of a travel agency. Each exported function is a tool; the rest stays in here.
const skies = { Lisbon: { celsius: 21, rain: 0.6 }, Oslo: { celsius: 4, rain: 0.2 } };

export function weather({ city }) {
  if (!(city in skies)) throw new Error(`no forecast for ${city}`);
  return skies[city];
}

export function flights({ from, to }) {
  const line = `${from[0]}${to[0]}`;
  return [
    { number: `${line} 201`, price: 189 },
    { number: `${line} 417`, price: 124 },
    { number: `${line} 530`, price: 260 },
  ];
}

export async function hotels({ city, nights }) {
  return [
    { name: `Grand ${city}`, stars: 5, price: 210 * nights },
    { name: "Harbour View", stars: 3, price: 88 * nights },
    { name: "Bunk Beds", stars: 1, price: 19 * nights },
  ];
}
