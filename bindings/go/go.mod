module berth

go 1.19
