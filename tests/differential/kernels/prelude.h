// Goes before every program of the differential tests.

// The work-item's place among all, counted from 0, dimension 0 fastest; and their number.
int item(void)
{
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
           z = get_global_id(2) - get_global_offset(2);
    return (int)((z * get_global_size(1) + y) * get_global_size(0) + x);
}
int items(void)
{
    return (int)(get_global_size(0) * get_global_size(1) * get_global_size(2));
}
// The same in the group.
int local_item(void)
{
    return (int)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +
                 get_local_id(0));
}
int local_items(void)
{
    return (int)(get_local_size(0) * get_local_size(1) * get_local_size(2));
}
// The bits of a number; the sign and the payload of a NaN depend on the order of operands.
uint bits(float f)
{
    return f != f ? 0x7fc00000u : as_uint(f);
}
ulong bits64(double d)
{
    return d != d ? 0x7ff8000000000000ul : as_ulong(d);
}
uint mix(uint h, uint v)
{
    h = (h ^ v) * 0x85ebca6bu;
    return h ^ (h >> 15);
}
