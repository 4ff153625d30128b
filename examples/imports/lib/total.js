export const total = (prices) => Object.values(prices).reduce((sum, price) => sum + price, 0);
