-- Twin of dev.sluice.algorithm.Arithmetic.

-- The quotient a * b / c, rounded down, for products that may not be exact: bit by bit.
local function mul_div(a, b, c)
  if a * b < 2 ^ 53 then
    return floor(a * b / c)
  end
  local quotient, rest, bit = 0, 0, 2 ^ 52
  while bit >= 1 do
    local taken = a >= bit and b or 0
    a = a >= bit and a - bit or a
    local sum = 2 * rest + taken % c
    rest = sum % c
    quotient = 2 * quotient + (taken - taken % c) / c + (sum - rest) / c
    bit = bit / 2
  end
  return quotient
end
