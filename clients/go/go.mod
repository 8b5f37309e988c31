module github.com/pesapost/pesapost-go

go 1.19
