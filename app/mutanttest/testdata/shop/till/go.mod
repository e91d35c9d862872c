module example.com/shop/till

go 1.25

require example.com/shop v0.1.0
