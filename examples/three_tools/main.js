// A weekend away: three tools are asked at once, then the program decides.
const from = "Berlin";
const city = "Lisbon";
console.log(`looking at ${city} from ${from}`);

const [weather, flights, hotels] = await Promise.all([
  travel.weather({ city }),
  travel.flights({ from, to: city }),
  travel.hotels({ city, nights: 2 }),
]);
console.log(`${weather.celsius} °C, ${flights.length} flights, ${hotels.length} hotels`);

const cheapest = (offers) => offers.toSorted((a, b) => a.price - b.price)[0];
const flight = cheapest(flights);
const hotel = cheapest(hotels.filter(({ stars }) => stars >= 3));
if (weather.rain > 0.5) console.warn("take an umbrella");

return { city, flight: flight.number, hotel: hotel.name, total: flight.price + hotel.price };
