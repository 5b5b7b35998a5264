// Questions to the server, which answers in JSON.

export class ApiError extends Error {
  constructor(told) {
    super(told.message);
    this.kind = told.kind;
  }
}

/** Return the address of a question; values may be lists. */
export function address(path, asked = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(asked)) {
    if (value === null || value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(key, one);
  }
  const text = query.toString();
  return `/api/${path}${text ? `?${text}` : ""}`;
}

/** Ask, and return the answer; a mistake is thrown as an ApiError. */
export async function ask(path, asked = {}, signal = null) {
  let response;
  try {
    response = await fetch(address(path, asked), { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError({ kind: "Offline", message: "The explorer has been stopped." });
  }
  const told = await response.json();
  if (!response.ok) throw new ApiError(told.error);
  return told;
}
