struct Second { let third: Third }
