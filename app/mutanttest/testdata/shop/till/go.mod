module example.com/shop/till

go 1.25

replace example.com/shop => ../

require example.com/shop v0.0.0-00010101000000-000000000000
