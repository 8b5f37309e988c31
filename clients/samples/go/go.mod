module samples

go 1.19

require github.com/pesapost/pesapost-go v0.0.0

replace github.com/pesapost/pesapost-go => ../../go
