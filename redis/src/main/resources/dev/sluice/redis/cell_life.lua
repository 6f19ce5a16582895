-- Part of other files: the milliseconds for which a value is kept that is as if never seen after latest.
local life = latest + grace + 999
life = (life - life % 1000) / 1000
