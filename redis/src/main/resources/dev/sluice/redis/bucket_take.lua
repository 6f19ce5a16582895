-- Part of acquire.lua and batch_buckets.lua: charges the bucket of bucket_room.lua.
u = u + taken
latest = t - now + u * p / n
